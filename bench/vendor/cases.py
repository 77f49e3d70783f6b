"""What Warptune's winners are held against: one line a case, the most important ones first."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    templates: str  # one or more: the best of their winners counts
    problem: str  # sizes and variants, or "preset NAME"
    metric: str  # of the template; the vendor's figure has the same unit
    vendor: str  # a case of the vendor program or of torch_cases.py, or "fp32 peak" of the device
    target: float | None  # winner / vendor; None: nothing was promised
    seconds: float = 60  # of tuning, set-up included: data and references that the host computes take up to 10 s

    @property
    def least(self) -> float:
        """Seconds below which it makes no sense to tune it."""
        return LEAST_SECONDS.get(self.templates, 0)


# By templates: where data and references take seconds, or a space is large and slow to compile.
LEAST_SECONDS = {
    "radix_sort cub_radix_sort": 18, "merge_sort cub_merge_sort": 24, "bitonic_sort": 14, "spmv": 14, "scan": 9,
    "segmented_scan": 9, "compact": 8, "histogram": 8, "gemm": 10, "gemm_split_k": 10, "gemm_emulated": 10, "gemm_tensor": 12,
    "gemm_fp8": 12, "gemm_grouped": 10, "gemm_int4": 8, "attention": 8, "attention_decode": 7, "conv_layer": 8, "jacobi2d": 7,
    "stencil3d": 7, "copy": 7, "mri_fhd": 6, "nbody": 6, "fft": 6}


def square(n: int) -> str:
    return f"M={n},N={n},K={n}"


# Rows of half a gigabyte or a quarter: of copy where a row fits a block, and PyTorch's better way everywhere.
ROW_LENGTHS = [128, 1024, 8192, 32768, 131072]


def row_cases(template: str, called: str = "", variant: str = "") -> "list[Case]":
    """`called` is the operation's name here and, with underscores, in torch_cases.py; the template's unless given."""
    cases, called = [], called or template
    for columns in ROW_LENGTHS:
        rows = 8192 * 8192 // columns
        for precision in ["float", "bfloat16", "half"]:
            problem = f"ROWS={rows},COLUMNS={columns},PRECISION={precision}{variant}"
            torch = f"torch_{called.replace(' ', '_')}_{rows}x{columns}_{precision}"
            cases.append(Case(f"{called} {rows}x{columns} {precision}", template, problem, "GB/s", torch, 1.00))
        # A copy of as many bytes, for the roof: 8192 * 8192 floats.
        problem = f"ROWS={rows},COLUMNS={columns},PRECISION=float{variant}"
        cases.append(Case(f"{called} {rows}x{columns} of copy", template, problem, "GB/s", "copy_67108864", 0.90))
    return cases


# A table that the L2 cache does not hold, or not whole.
EMBEDDINGS = [
    Case(f"embedding {rows}x{columns}x{length} {precision}", "embedding",
         f"ROWS={rows},LENGTH={length},TABLE_ROWS=131072,COLUMNS={columns},PRECISION={precision}", "GB/s",
         f"torch_embedding_{rows}x{columns}x{length}_{precision}", 1.00)
    for rows, columns, length in [(16384, 512, 16), (131072, 512, 1), (65536, 128, 32)]
    for precision in ["float", "bfloat16", "half"]]


# bfloat16 throughout, 32 heads, sequences of 4096 tokens; then a token of each of 64 sequences over 8192 keys.
TOKENS = "QUERIES=4096,KEYS=4096,HEADS=32,BATCH=4,PRECISION=bfloat16"
DECODE = "KEYS=8192,QUERIES=1,HEADS=32,KV_HEADS=8,BATCH=64,PRECISION=bfloat16,HEAD_DIM=128"
ATTENTION = [
    Case("attention 4x32x4096x128", "attention", f"{TOKENS},KV_HEADS=32,HEAD_DIM=128,CAUSAL=false", "TFLOP/s",
         "torch_attention_4x32x4096x128", 0.90),
    Case("attention 4x32x4096x128 causal", "attention", f"{TOKENS},KV_HEADS=32,HEAD_DIM=128,CAUSAL=true", "TFLOP/s",
         "torch_attention_4x32x4096x128_causal", 0.90),
    Case("attention 4x32x4096x64", "attention", f"{TOKENS},KV_HEADS=32,HEAD_DIM=64,CAUSAL=false", "TFLOP/s",
         "torch_attention_4x32x4096x64", 0.90),
    Case("attention 4x32:8x4096x128 causal", "attention", f"{TOKENS},KV_HEADS=8,HEAD_DIM=128,CAUSAL=true", "TFLOP/s",
         "torch_attention_4x32:8x4096x128_causal", 0.90),
    Case("attention_decode 64x32:8x8192x128", "attention_decode", DECODE, "GB/s",
         "torch_attention_decode_64x32:8x8192x128", 0.90),
    # 2^28 floats in and out are as many bytes.
    Case("attention_decode 64x32:8x8192x128 of copy", "attention_decode", DECODE, "GB/s", "copy_268435456", 0.85),
    Case("attention_decode in pages of copy", "attention_decode", f"{DECODE},PAGE_SIZE=64", "GB/s", "copy_268435456", 0.85),
]


# Queries of 32 heads, keys of 8, and heads of 64 elements. PyTorch's rotation is that of two halves.
ROPES = [
    Case(f"rope {tokens}x{heads}x{head} {precision}", "rope",
         f"TOKENS={tokens},HEADS={heads},HEAD_DIM={head},POSITIONS={tokens},PRECISION={precision},PAIRS=halves,IN_PLACE=false",
         "GB/s", f"torch_rope_{tokens}x{heads * head}x{heads}_{precision}", 1.00)
    for tokens, heads, head in [(8192, 32, 128), (32768, 8, 128), (16384, 64, 64)]
    for precision in ["float", "bfloat16", "half"]] + [
    Case("rope 8192x32x128 of copy", "rope",
         "TOKENS=8192,HEADS=32,HEAD_DIM=128,POSITIONS=8192,PRECISION=float,PAIRS=halves,IN_PLACE=false", "GB/s",
         "copy_33554432", 0.90)]
TOP_KS = [
    Case(f"top_k {k} of {rows}x{columns} {precision}", "top_k",
         f"ROWS={rows},COLUMNS={columns},K={k},PRECISION={precision},DISTRIBUTION=uniform", "GB/s",
         f"torch_top_k_{rows}x{columns}x{k}_{precision}", 1.00)
    for rows, columns, k in [(2048, 32768, 64), (2048, 32768, 1), (2048, 32768, 256), (65536, 1024, 8), (512, 131072, 64)]
    for precision in ["float", "bfloat16", "half"]] + [
    Case("top_k 64 of 2048x32768 of copy", "top_k", "ROWS=2048,COLUMNS=32768,K=64,PRECISION=float,DISTRIBUTION=uniform",
         "GB/s", "copy_33554432", 0.50)]


# Square matrices, NCHW to NHWC and back, and small ones. Elements are moved alone: floats are words, halves 16 bits.
TRANSPOSES = [
    Case(f"batched_transpose {batch}x{rows}x{columns} {element}", "batched_transpose",
         f"BATCH={batch},ROWS={rows},COLUMNS={columns},ELEMENT={element}", "GB/s",
         f"torch_batched_transpose_{rows}x{columns}x{batch}_{torch}", 1.00)
    for batch, rows, columns in [(64, 1024, 1024), (64, 256, 3136), (64, 3136, 256), (65536, 32, 32)]
    for element, torch in [("uint32", "float"), ("uint16", "half"), ("uint8", "uint8")]] + [
    Case("batched_transpose 64x1024x1024 of copy", "batched_transpose", "BATCH=64,ROWS=1024,COLUMNS=1024,ELEMENT=uint32",
         "GB/s", "copy_67108864", 0.90)]
SMALL_GEMMS = [
    Case(f"batched_gemm {batch}x{n}", "batched_gemm", f"BATCH={batch},{square(n)}", "GFLOP/s",
         f"torch_batched_gemm_{n}x{n}x{batch}_float", 1.00)
    for batch, n in [(1048576, 4), (262144, 8), (65536, 16), (32768, 32), (16384, 64)]]


# 2^25 complex numbers, 256 MB in and 256 MB out.
TRANSFORMS = [
    Case(f"fft 2^{log2}", "fft", f"LENGTH={2 ** log2},BATCH={2 ** (25 - log2)}", "GB/s",
         f"torch_fft_{2 ** (25 - log2)}x{2 ** log2}_float", 0.90)
    for log2 in [8, 10, 12, 13, 16, 20]]


# A layer of experts: as many tokens for each, drawn evenly but for idle experts, and by Zipf's law. One product of the
# same size is what more experts may cost.
EXPERTS = [
    Case(f"experts {experts} {routing}", "gemm_grouped",
         f"TOKENS=16384,N=4096,K=4096,EXPERTS={experts},PRECISION=bfloat16,ROUTING={routing}", "GFLOP/s",
         f"torch_gemm_grouped_16384x4096x4096x{experts}_{routing}", 1.00)
    for experts in [8, 64] for routing in ["uniform", "ragged", "skewed"]] + [
    Case(f"experts {experts} uniform of one", "gemm_grouped",
         f"TOKENS=16384,N=4096,K=4096,EXPERTS={experts},PRECISION=bfloat16,ROUTING=uniform", "GFLOP/s",
         "torch_gemm_grouped_16384x4096x4096x1_uniform", 0.90)
    for experts in [8, 64]]


# 4-bit weights in groups of 128: a token of 1, 16 or 64 sequences, and 4096 tokens at once.
INT4_GEMMS = [
    Case(f"gemm_int4 {rows}x8192x8192", "gemm_int4", f"M={rows},N=8192,K=8192,PRECISION=bfloat16,ZERO_POINTS=symmetric",
         "GFLOP/s", f"torch_int4_{rows}x8192x8192_128", 1.00)
    for rows in [1, 16, 64, 4096]]


LAYER = "BATCH=32,FILTER_HEIGHT=3,FILTER_WIDTH=3,STRIDE=1,PAD=same"


CASES = [
    Case("sgemm 1024", "gemm_split_k", square(1024), "GFLOP/s", "cublas_sgemm_1024", 1.20),
    Case("sgemm 4096", "gemm", square(4096), "GFLOP/s", "cublas_sgemm_4096", 1.00),
    Case("sgemm 8192", "gemm", square(8192), "GFLOP/s", "cublas_sgemm_8192", 1.00),
    # gemm, which is gemm_split_k's SPLIT_K = 1, leaves a part of the device idle here and at 1024.
    Case("sgemm 256x256x65536", "gemm_split_k", "M=256,N=256,K=65536", "GFLOP/s", "cublas_sgemm_256x256x65536", 1.20),
    Case("sgemm 8192x64x8192", "gemm_split_k", "M=8192,N=64,K=8192", "GFLOP/s", "cublas_sgemm_8192x64x8192", 1.20),
    # In FP32 to the same accuracy, or a better one: floats in parts that tensor cores multiply.
    Case("sgemm emulated 1024", "gemm_emulated", square(1024), "GFLOP/s", "cublas_sgemm_1024", 1.20),
    Case("sgemm emulated 4096", "gemm_emulated", square(4096), "GFLOP/s", "cublas_sgemm_4096", 1.60),
    Case("sgemm emulated 8192", "gemm_emulated", square(8192), "GFLOP/s", "cublas_sgemm_8192", 1.60),
    Case("sgemm emulated 256x256x65536", "gemm_emulated", "M=256,N=256,K=65536", "GFLOP/s", "cublas_sgemm_256x256x65536", 1.20),
    Case("sgemm emulated 8192x64x8192", "gemm_emulated", "M=8192,N=64,K=8192", "GFLOP/s", "cublas_sgemm_8192x64x8192", 1.20),
    Case("tf32 4096", "gemm_tensor", f"{square(4096)},PRECISION=tf32", "GFLOP/s", "cublas_tf32_4096", 0.95),
    Case("tf32 8192", "gemm_tensor", f"{square(8192)},PRECISION=tf32", "GFLOP/s", "cublas_tf32_8192", 0.95),
    Case("bf16 8192", "gemm_tensor", "preset large", "GFLOP/s", "cublas_bf16_8192", 1.00),
    Case("bf16 bias gelu 8192", "gemm_tensor", f"{square(8192)},PRECISION=bfloat16,FUSION=bias_gelu", "GFLOP/s", "cublaslt_bias_gelu_8192", 1.00),
    Case("bf16 bias relu 8192", "gemm_tensor", f"{square(8192)},PRECISION=bfloat16,FUSION=bias_relu", "GFLOP/s", "cublaslt_bias_relu_8192", 1.00),
    Case("bf16 residual 8192", "gemm_tensor", f"{square(8192)},PRECISION=bfloat16,FUSION=residual", "GFLOP/s", "cublaslt_residual_8192", 1.00),
    Case("fp8 8192", "gemm_fp8", f"{square(8192)},SCALES=tensor,FAST_ACCUMULATION=false", "GFLOP/s", "cublaslt_fp8_8192", 0.90),
    Case("fp8 fast 8192", "gemm_fp8", f"{square(8192)},SCALES=tensor,FAST_ACCUMULATION=true", "GFLOP/s", "cublaslt_fp8_fast_8192", 0.90),
    Case("transpose 4096", "transpose", "HEIGHT=4096,WIDTH=4096", "GB/s", "cublas_geam_4096", 1.25),
    Case("transpose 4096 of copy", "transpose", "HEIGHT=4096,WIDTH=4096", "GB/s", "copy_16777216", 1.00),
    Case("transpose 16384 of copy", "transpose", "HEIGHT=16384,WIDTH=16384", "GB/s", "copy_268435456", 0.97),
    Case("reduction 2^28", "reduction", "SIZE=268435456", "GB/s", "cub_reduce_268435456", 1.00),
    Case("reduction 2^20", "reduction", "SIZE=1048576", "GB/s", "cub_reduce_1048576", 1.50),
    # Floors: a launch that does nothing, a kernel that only reads the input (out of the L2 cache), one whose blocks only
    # hand the last one a word each.
    Case("reduction 2^20 of a launch", "reduction", "SIZE=1048576", "GB/s", "empty_kernel_1048576", None),
    Case("reduction 2^20 of a read", "reduction", "SIZE=1048576", "GB/s", "read_1048576", None),
    Case("reduction 2^20 of a meeting", "reduction", "SIZE=1048576", "GB/s", "meet_1048576", None),
    Case("scan 2^28", "scan", "SIZE=268435456,KIND=inclusive", "GB/s", "cub_scan_268435456", 1.20),
    Case("histogram 256 uniform", "histogram", "SIZE=1073741824,BINS=256,KIND=bytes,DISTRIBUTION=uniform", "GB/s", "cub_histogram_256_uniform", 1.50),
    Case("histogram 256 skewed", "histogram", "SIZE=268435456,BINS=256,KIND=bytes,DISTRIBUTION=skewed", "GB/s", "cub_histogram_256_skewed", 1.50),
    Case("histogram 4096 uniform", "histogram", "SIZE=268435456,BINS=4096,KIND=integers,DISTRIBUTION=uniform", "GB/s", "cub_histogram_4096_uniform", 1.50),
    Case("histogram 4096 skewed", "histogram", "SIZE=268435456,BINS=4096,KIND=integers,DISTRIBUTION=skewed", "GB/s", "cub_histogram_4096_skewed", 1.50),
    Case("spmv band", "spmv", "ROWS=4194304,AVERAGE=16,PATTERN=band", "GB/s", "cusparse_spmv_band", 1.25),
    Case("spmv scattered band", "spmv", "ROWS=4194304,AVERAGE=16,PATTERN=scattered_band", "GB/s", "cusparse_spmv_scattered_band", 1.25),
    Case("spmv power law", "spmv", "ROWS=4194304,AVERAGE=16,PATTERN=power_law", "GB/s", "cusparse_spmv_power_law", 1.25),
    Case("conv_layer 64 at 56x56", "conv_layer", f"CHANNELS=64,FILTERS_OUT=64,HEIGHT=56,WIDTH=56,{LAYER}", "GFLOP/s", "cudnn_conv_64x56", 1.00),
    Case("conv_layer 128 at 28x28", "conv_layer", f"CHANNELS=128,FILTERS_OUT=128,HEIGHT=28,WIDTH=28,{LAYER}", "GFLOP/s", "cudnn_conv_128x28", 1.00),
    Case("conv_layer 256 at 14x14", "conv_layer", f"CHANNELS=256,FILTERS_OUT=256,HEIGHT=14,WIDTH=14,{LAYER}", "GFLOP/s", "cudnn_conv_256x14", 1.00),
    Case("convolution2d 3x3", "convolution2d", "WIDTH=4096,HEIGHT=4096,RADIUS=1,SEPARABLE=false", "GFLOP/s", "cudnn_image_3", 1.00),
    Case("convolution2d 7x7", "convolution2d", "WIDTH=4096,HEIGHT=4096,RADIUS=3,SEPARABLE=false", "GFLOP/s", "cudnn_image_7", 1.00),
    Case("convolution2d 17x17", "convolution2d", "WIDTH=4096,HEIGHT=4096,RADIUS=8,SEPARABLE=false", "GFLOP/s", "cudnn_image_17", 1.00),
    Case("radix sort keys 2^27", "radix_sort cub_radix_sort", "SIZE=134217728,KIND=keys", "Gkeys/s", "cub_radix_sort_keys_134217728", 0.80),
    Case("compact 2^28", "compact", "SIZE=268435456", "GB/s", "cub_select_268435456", 1.00),
    Case("stencil1d of copy", "stencil1d", "SIZE=268435456,RADIUS=4", "GB/s", "copy_268435456", 0.90),
    Case("stencil2d of copy", "stencil2d", "HEIGHT=16384,WIDTH=16384", "GB/s", "copy_268435456", 0.90),
    Case("stencil3d of copy", "stencil3d", "WIDTH=768,HEIGHT=768,DEPTH_Z=768,STEPS=1", "GB/s", "copy_452984832", 0.90),
    Case("jacobi2d of copy", "jacobi2d", "HEIGHT=16384,WIDTH=16384,STEPS=16", "GB/s of single steps", "copy_268435456", 0.90),
    Case("coulomb of peak", "coulomb", "X=512,Y=512,Z=16,ATOMS=4000", "GFLOP/s", "fp32 peak", 0.70),
    Case("mri_fhd of peak", "mri_fhd", "SIZE=2097152,SAMPLES=4096", "GFLOP/s", "fp32 peak", 0.70),
    Case("nbody of peak", "nbody", "SIZE=131072", "GFLOP/s", "fp32 peak", 0.70),
    Case("copy 2^30", "copy", "SIZE=1073741824", "GB/s", "copy_1073741824", None),
    Case("gemv 16384", "gemv", "M=16384,N=16384", "GB/s", "cublas_gemv_16384", None),
    Case("radix sort pairs 2^27", "radix_sort cub_radix_sort", "SIZE=134217728,KIND=pairs", "Gkeys/s", "cub_radix_sort_pairs_134217728", 1.00),
    Case("merge sort 2^27", "merge_sort cub_merge_sort", "SIZE=134217728", "Gkeys/s", "cub_merge_sort_134217728", 1.00),
    Case("bitonic sort 2^27", "bitonic_sort", "SIZE=134217728", "Gkeys/s", "cub_merge_sort_134217728", None),
    Case("segmented scan 2^28", "segmented_scan", "SIZE=268435456,SEGMENTS=identifiers,LENGTH=100", "GB/s", "cub_segmented_scan_268435456", None),
] + row_cases("softmax") + row_cases("rms_norm") + row_cases("layer_norm") \
  + row_cases("cross_entropy", variant=",GRADIENT=false") \
  + row_cases("cross_entropy", "cross_entropy gradient", ",GRADIENT=true") + EMBEDDINGS \
  + ROPES + row_cases("cumsum") + TOP_KS + TRANSPOSES + SMALL_GEMMS + ATTENTION + EXPERTS + TRANSFORMS \
  + INT4_GEMMS
