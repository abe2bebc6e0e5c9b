/** Grid Engine's own descriptions of a queue and of a parallel environment, for the test cluster. */
export const gridEngineSmp = `pe_name smp
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $pe_slots
control_slaves FALSE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
`;

export function gridEngineQueue(slots: number): string {
  const none = [
    "load_thresholds",
    "suspend_thresholds",
    "ckpt_list",
    "prolog",
    "epilog",
    "starter_method",
    "suspend_method",
  ];
  none.push("resume_method", "terminate_method", "owner_list", "user_lists", "xuser_lists", "subordinate_list");
  none.push("complex_values", "projects", "xprojects", "calendar");
  const limits = ["rt", "cpu", "fsize", "data", "stack", "core", "rss", "vmem"].flatMap((what) => [
    `s_${what}`,
    `h_${what}`,
  ]);
  const lines = [
    "qname all.q",
    "hostlist @allhosts",
    "seq_no 0",
    "nsuspend 1",
    "suspend_interval 00:05:00",
    "priority 0",
    "min_cpu_interval 00:05:00",
    "processors UNDEFINED",
    "qtype BATCH INTERACTIVE",
    "pe_list smp",
    "rerun TRUE",
    `slots ${slots}`,
    "tmpdir /tmp",
    "shell /bin/sh",
    "shell_start_mode unix_behavior",
    "notify 00:00:60",
    "initial_state default",
    ...none.map((name) => `${name} NONE`),
    ...limits.map((name) => `${name} INFINITY`),
  ];
  return `${lines.join("\n")}\n`;
}
