#ifndef SUITES_H
#define SUITES_H

/* One function a module: each registers its CUnit suite and returns 0, or a CUnit error code. */
int add_answer_suite(void);
int add_apply_suite(void);
int add_arena_suite(void);
int add_backoff_suite(void);
int add_base64_suite(void);
int add_body_suite(void);
int add_buf_suite(void);
int add_ca_secret_suite(void);
int add_cluster_advice_suite(void);
int add_cpus_suite(void);
int add_deadlines_suite(void);
int add_tracked_sets_suite(void);
int add_group_advice_suite(void);
int add_group_suite(void);
int add_in_cluster_suite(void);
int add_inspect_suite(void);
int add_json_suite(void);
int add_listen_suite(void);
int add_log_line_suite(void);
int add_manifests_suite(void);
int add_metrics_suite(void);
int add_names_suite(void);
int add_options_suite(void);
int add_peers_suite(void);
int add_pki_suite(void);
int add_prune_suite(void);
int add_registration_suite(void);
int add_resolv_suite(void);
int add_review_suite(void);
int add_rfc3339_suite(void);
int add_rotation_model_suite(void);
int add_rotation_suite(void);
int add_scalar_suite(void);
int add_scan_suite(void);
int add_service_advice_suite(void);
int add_stamp_check_suite(void);
int add_stamp_suite(void);
int add_text_suite(void);
int add_tfconfig_suite(void);
int add_verdict_suite(void);
int add_watch_events_suite(void);
int add_yaml_suite(void);

#endif
