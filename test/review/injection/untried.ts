// Fields that messages compute and the campaign does not fill, each with the reason.

const addresses = "encoded by its place in an address: test/runtime/requests/url-text.test.ts";
const headers = "as that of `http_client`, by the same function";
const content = "a body, which may be anything";
const number = "read as a number or a duration";
const inside = "stays in the process";
const signed = "test/runtime/connectors/portal-webhook.test.ts";

/** By role, component and field. */
export const untried: Readonly<Record<string, string>> = {
  "input http_client url": addresses,
  "input http_client headers.*": headers,
  "input http_client payload": content,
  "input http_client body": content,
  "input http_server sync_response.status": number,
  "input websocket url": addresses,
  "input websocket headers.*": headers,
  "output http_client url": "as that of the processor `http`",
  "output http_client payload": content,
  "output http_client body": content,
  "output kafka_franz partition": "as that of `kafka`",
  "output mqtt retained_interpolated": "read as a truth value",
  "output portal_webhook event_type": signed,
  "output portal_webhook headers.*": signed,
  "output reject ": "the text of a failure",
  "output websocket url": addresses,
  "output websocket headers.*": headers,
  "processor archive path": "a name in an archive; what unpacks one takes it for a name of metadata",
  "processor group_by_value value": inside,
  "processor http payload": content,
  "processor http body": content,
  "processor insert_part content": content,
  "processor log message": "a field of a line of JSON",
  "processor log fields.*": "a field of a line of JSON",
  "processor nats_kv key": "as that of the output `nats_kv`; patterns: test/emit/request-literals.test.ts",
  "processor nats_kv revision": number,
  "processor nats_object_store object_name": "as that of the output",
  "processor sleep duration": number,
};

/** Mappings whose result a server or a program reads as more than a value. */
export const mappingsOfProtocols: Readonly<Record<string, string>> = {
  "processor command args_mapping":
    "arguments of a program without a shell: test/runtime/connectors/subprocess.test.ts",
  "processor redis_script args_mapping": "data of a script that the document writes",
  "processor redis_script keys_mapping": "data of a script that the document writes",
  "input sql_raw args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "input sql_select args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "processor sql_insert args_mapping":
    "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "processor sql_raw args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "processor sql_select args_mapping":
    "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "output sql_insert args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "processor sql args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "output sql args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
  "output sql_raw args_mapping": "parameters of a statement: test/runtime/connectors/sql.postgres.test.ts",
};
