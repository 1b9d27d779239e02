// Fields that messages compute but the campaign does not fill, with reasons.

const addresses = "encoded by its place in an address: test/runtime/requests/url-text.test.ts";
const headers = "as that of `http_client`, by the same function";
const opening =
  "computed where a connection is opened, of no message: test/runtime/connectors/websocket.test.ts";
const content = "a body, which may be anything";
const statement = "by the same function as `sql_insert`, `sql_raw` and `sql_select`, which are filled";

/** Reasons by role, component and field. */
export const untried: Readonly<Record<string, string>> = {
  "input http_client url": addresses,
  "input http_client headers.*": headers,
  "input http_client payload": content,
  "input http_client body": content,
  "input http_server sync_response.status":
    "a status from 200 to 599, else 422: test/runtime/http/replies.test.ts",
  "input websocket url": opening,
  "input websocket headers.*": opening,
  "output http_client payload": content,
  "output http_client body": content,
  "output reject ": "the text of a failure",
  "output websocket url": opening,
  "output websocket headers.*": opening,
  "processor http payload": content,
  "processor http body": content,
  "processor insert_part content": content,
  "processor nats_object_store object_name": "as that of the output",
};

/** Mappings whose result a server or a program interprets, with reasons. */
export const mappingsOfProtocols: Readonly<Record<string, string>> = {
  "processor redis_script args_mapping": "data of a script that the document writes",
  "processor redis_script keys_mapping": "data of a script that the document writes",
  "input sql_raw args_mapping": statement,
  "input sql_select args_mapping": statement,
  "processor sql_insert args_mapping": statement,
  "processor sql_raw args_mapping": statement,
  "processor sql args_mapping": statement,
  "output sql args_mapping": statement,
};
