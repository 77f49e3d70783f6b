#!/usr/bin/env bash
# Records whole search spaces, of a few hundred to a few thousand configurations each, as FOLDER/<template>/recorded/<device>.json.gz
# (T4 results): real data for replay, tests and demonstrations.
#
#   record.sh WARPTUNE FOLDER [SECONDS [DEVICE [TEMPLATES [OPTIONS OF warptune tune ...]]]]
#
#   SECONDS    for each template at most; trials are in FOLDER/.recording, and the same command goes on. Default 90
#   DEVICE     default cuda:0; on the host the templates' small presets are recorded
#   TEMPLATES  a regular expression over whole names; default all of the list below
#
# What was not finished is not written, and makes the exit code 3.
set -euo pipefail
warptune=${1:?usage: record.sh WARPTUNE FOLDER [SECONDS [DEVICE [TEMPLATES [OPTIONS ...]]]]}
folder=${2:?FOLDER, as templates}
seconds=${3:-90} device=${4:-cuda:0} chosen=${5:-.*}
further=("${@:6}")
work=$folder/.recording
most_bytes=4000000 # of all recordings together, compressed: they are to be committed
unfinished=0

# The sizes make a run 10 µs to 1 ms long on a large GPU; the restrictions keep some thousand configurations with good and bad
# ones among them. Behind each line, how many are valid on a GPU of compute capability 9.0.
record() { # TEMPLATE SIZES [RESTRICTION]
  local name=$1 sizes=$2 restriction=${3:-} options=()
  [[ $name =~ ^($chosen)$ ]] || return 0
  [[ $device == host ]] || options+=(--size "$sizes")
  [[ -z $restriction ]] || options+=(--restrict "$restriction")
  local log=$work/$name.log
  echo "$name $sizes ${restriction:+where $restriction}" >&2
  "$warptune" tune "$name" --device "$device" --strategy exhaustive --finals 0 --race 0 --budget "${seconds}s" --db "$work/store.db" \
    "${options[@]}" "${further[@]}" >/dev/null 2>"$log" || { tail -3 "$log" >&2 && unfinished=1 && return 0; }
  local session
  session=$(sed -n 's/.*, session \([0-9]*\)$/\1/p' "$log" | head -1)
  if ! grep -q 'the search is exhausted' "$log"; then
    echo "  NOT FINISHED: $(grep -E ' trials? in ' "$log"). The same command goes on" >&2
    unfinished=1
    return 0
  fi
  local file=$folder/$name/recorded/$device_name.json.gz
  mkdir -p "$(dirname "$file")"
  "$warptune" export "$name" --session "$session" --format t4 --db "$work/store.db" -o "$file"
  echo "  $(stat -c %s "$file") bytes" >&2
}

mkdir -p "$work"
device_name=$("$warptune" devices --format csv | python3 -c '
import csv, re, sys
print(next(re.sub(r"\W+", "_", row["name"]) for row in csv.DictReader(sys.stdin) if row["device"] == sys.argv[1]))' "$device")

record gemm M=2048,N=2048,K=2048 "ALGORITHM == 'tiled' and SLICED_K == 1 and LANES_M == 8 and VECTOR_WIDTH == 4 and TILE_K == 16 \
  and UNROLL == 16 and RASTER_GROUP == 8 and TRAVERSAL == 'rows'" # 2,424
record transpose HEIGHT=8192,WIDTH=8192 "ALGORITHM == 'tiled' and RASTER_ORDER == 'rows' and CACHE_HINT in ['plain', 'streaming'] and L2_KEEP == 0 \
  and L2_PREFETCH == 0 and PADDING <= 1" # 3,138
record reduction SIZE=67108864 "COMBINE == 'shuffle' and BLOCK_SIZE >= 64 and FINISH != 'publish_warps'" # 4,120
record convolution2d WIDTH=4096,HEIGHT=4096,RADIUS=3 "FULLY_UNROLLED and FILTER == 'constant'" # 2,210
record stencil2d HEIGHT=8192,WIDTH=8192 "ALGORITHM == 'marching'" # 3,240
record nbody SIZE=65536 "SPLIT_SOURCES <= 8 and ROOT == 'fast' and PAIRS == 'twice'" # 1,872
record mri_fhd SIZE=262144,SAMPLES=2048 "ANGLE == 'fma' and POLYNOMIALS == 0 and LAYOUT != 'polar' and TRIG != 'raw' \
  and ALGORITHM == 'gather' and SAMPLE_MEMORY != 'constant' and COARSENING in [1, 2, 4, 8] and UNROLL * COARSENING <= 32" # 1,530
record stencil1d SIZE=67108864,RADIUS=3 # 1,092

bytes=$(cat "$folder"/*/recorded/*.json.gz 2>/dev/null | wc -c || true)
echo "$bytes bytes in all" >&2
((bytes <= most_bytes)) || { echo "OVER $most_bytes bytes: restrict further" >&2 && unfinished=1; }
exit $((unfinished * 3))
