; extends

; Mappings and queries in YAML. This goes to queries/yaml/injections.scm of an editor.

((block_mapping_pair
   key: (flow_node) @_field
   value: (block_node (block_scalar) @injection.content))
 (#any-of? @_field
   "mapping" "mutation" "bloblang" "application_properties_map" "args_mapping" "extract_tracing_map" "fields_mapping" "inject_tracing_map" "keys_mapping" "request_map" "result_map" "timestamp_mapping" "check" "skip_on")
 (#offset! @injection.content 0 1 0 0)
 (#set! injection.language "blobl"))

((block_mapping_pair
   key: (flow_node) @_field
   value: (flow_node (plain_scalar (string_scalar) @injection.content)))
 (#any-of? @_field
   "mapping" "mutation" "bloblang" "application_properties_map" "args_mapping" "extract_tracing_map" "fields_mapping" "inject_tracing_map" "keys_mapping" "request_map" "result_map" "timestamp_mapping" "check" "skip_on")
 (#set! injection.language "blobl"))

((flow_pair
   key: (flow_node) @_field
   value: (flow_node (plain_scalar (string_scalar) @injection.content)))
 (#any-of? @_field
   "mapping" "mutation" "bloblang" "application_properties_map" "args_mapping" "extract_tracing_map" "fields_mapping" "inject_tracing_map" "keys_mapping" "request_map" "result_map" "timestamp_mapping" "check" "skip_on")
 (#set! injection.language "blobl"))

((_
   key: (flow_node) @_field
   value: (flow_node [(double_quote_scalar) (single_quote_scalar)] @injection.content))
 (#any-of? @_field
   "mapping" "mutation" "bloblang" "application_properties_map" "args_mapping" "extract_tracing_map" "fields_mapping" "inject_tracing_map" "keys_mapping" "request_map" "result_map" "timestamp_mapping" "check" "skip_on")
 (#offset! @injection.content 0 1 0 -1)
 (#set! injection.language "blobl"))
