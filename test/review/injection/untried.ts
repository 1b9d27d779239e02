// Fields that messages compute and the campaign does not fill, each with the reason.

const addresses = "encoded by its place in an address: test/runtime/requests/url-text.test.ts";
const headers = "as that of `http_client`, by the same function";
const opening =
  "computed where a connection is opened, of no message: test/runtime/connectors/websocket.test.ts";
const content = "a body, which may be anything";
const signed = "test/runtime/connectors/portal-webhook.test.ts";

/** By role, component and field. */
export const untried: Readonly<Record<string, string>> = {
  "input http_client url": addresses,
  "input http_client headers.*": headers,
  "input http_client payload": content,
  "input http_client body": content,
  "input http_server sync_response.status":
    "three digits, else 502, as the message is written already: test/runtime/listener/both-versions.test.ts",
  "input websocket url": opening,
  "input websocket headers.*": opening,
  "output http_client payload": content,
  "output http_client body": content,
  "output portal_webhook event_type": signed,
  "output portal_webhook headers.*": signed,
  "output reject ": "the text of a failure",
  "output websocket url": opening,
  "output websocket headers.*": opening,
  "processor http payload": content,
  "processor http body": content,
  "processor insert_part content": content,
  "processor nats_object_store object_name": "as that of the output",
};

/** Mappings whose result a server or a program reads as more than a value. */
export const mappingsOfProtocols: Readonly<Record<string, string>> = {
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
