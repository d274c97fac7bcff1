/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include <CUnit/Basic.h>

#include "base/arena.h"
#include "pki/wipe.h"
#include "suites.h"

/* Runs every suite; exits non-zero where a suite could not be set up or an assertion failed. */
int main(void)
{
	static int (*const suites[])(void) = {
		add_answer_suite,       add_apply_suite,        add_arena_suite,          add_arenas_suite,
		add_backoff_suite,      add_base64_suite,       add_body_suite,           add_budget_suite,
		add_buf_suite,          add_ca_secret_suite,    add_clock_suite,          add_cluster_advice_suite,
		add_containers_suite,   add_cpus_suite,         add_deadlines_suite,      add_document_walk_suite,
		add_error_suite,        add_file_suite,         add_group_advice_suite,   add_group_suite,
		add_in_cluster_suite,   add_inject_suite,       add_inspect_suite,        add_json_suite,
		add_last_problem_suite, add_limits_suite,       add_listen_suite,         add_log_line_suite,
		add_manifests_suite,    add_metrics_suite,      add_names_suite,          add_notes_suite,
		add_object_suite,       add_options_suite,      add_patch_suite,          add_peers_suite,
		add_pki_suite,          add_pod_suite,          add_private_folder_suite, add_progress_suite,
		add_prune_suite,        add_registration_suite, add_related_suite,        add_reply_suite,
		add_resolv_suite,       add_review_suite,       add_rfc3339_suite,        add_rotation_model_suite,
		add_rotation_suite,     add_scalar_suite,       add_scan_suite,           add_service_advice_suite,
		add_stamp_check_suite,  add_stamp_suite,        add_statefulset_suite,    add_text_suite,
		add_tfconfig_suite,     add_tracked_sets_suite, add_verdict_suite,        add_watch_events_suite,
		add_yaml_suite,
	};
	int failed = CU_initialize_registry() != CUE_SUCCESS;

	arena_hook_cjson();
	failed |= !wipe_hook_openssl();
	for (size_t i = 0; !failed && i < ARRAY_LEN(suites); i++)
		failed = suites[i]() != 0;
	if (!failed) {
		CU_basic_set_mode(CU_BRM_NORMAL);
		failed = CU_basic_run_tests() != CUE_SUCCESS || CU_get_number_of_failures() > 0;
	}
	CU_cleanup_registry();
	return failed ? 1 : 0;
}
