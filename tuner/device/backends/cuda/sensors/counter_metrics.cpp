// Lists the metrics of all counters.
#include "tuner/device/backends/cuda/sensors/counter_metrics.h"

namespace warptune::tuner::cuda {
namespace {

// The metrics are sums and not rates where there is a choice, because sums add up over launches. Each was asked of
// CUPTI 13.0's list for TU102, GA100, GA102, AD102, GH100, GB100 and GB202
// (tests/tuner/device/backends/cuda/cupti_chips_test.cpp asks again).
constexpr CounterMetric metrics_of_counters[] = {
    {"dram_read_bytes", "dram__bytes_read.sum", "dram__bytes_op_read.sum"},  // the last: compute capability 12.0
    {"dram_write_bytes", "dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    {"l2_bytes", "lts__t_bytes.sum"},
    {"l2_hit_rate", "lts__t_sector_hit_rate.pct"},
    {"l1_bytes", "l1tex__t_bytes.sum"},
    {"l1_hit_rate", "l1tex__t_sector_hit_rate.pct"},
    {"global_load_bytes", "smsp__sass_data_bytes_mem_global_op_ld.sum"},
    {"global_store_bytes", "smsp__sass_data_bytes_mem_global_op_st.sum"},
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"shared_bytes", "smsp__sass_data_bytes_mem_shared.sum"},
    {"shared_load_requests", "smsp__inst_executed_op_shared_ld.sum"},
    {"shared_store_requests", "smsp__inst_executed_op_shared_st.sum"},
    {"shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"shared_store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"instructions", "smsp__inst_executed.sum"},
    {"threads_per_instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"elapsed_cycles", "gpc__cycles_elapsed.max"},
    {"active_cycles", "sm__cycles_active.sum"},
    {"issue_cycles", "smsp__issue_active.sum"},
    {"sm_throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l1_throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"l2_throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram_throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"pipe_fma", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"},
    {"pipe_fp64", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active"},
    {"pipe_tensor", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    {"pipe_lsu", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"},
    {"stall_long_scoreboard", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    {"stall_short_scoreboard", "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"},
    {"stall_lg_throttle", "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"},
    {"stall_mio_throttle", "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"},
    {"stall_math_pipe_throttle", "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"},
    {"stall_barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
    {"stall_membar", "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio"},
    {"stall_wait", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"},
    {"stall_no_instruction", "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
    {"stall_not_selected", "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio"},
    {"threads", "smsp__threads_launched.sum"},
    {"warps", "smsp__warps_launched.sum"},
    {"blocks", "sm__ctas_launched.sum"},
};

}  // namespace

std::span<const CounterMetric> counter_metrics() {
  return metrics_of_counters;
}

}  // namespace warptune::tuner::cuda
