// Mistakes in the values of fields.

import { type Kind, replaced, slip } from "../mutation.ts";

const duration =
  /(?<=\b(?:timeout|rate_limit|heartbeat|ping_period|pong_wait|retry_period|write_wait|connect_timeout): )(\d+)(ms|s|m)\b/;

export const values: readonly Kind[] = [
  replaced(
    "default of a variable as in a shell",
    /(?<=["\s]\$\{[A-Z_]+:)(?=[A-Za-z][^}\n]*\}["\s,\]])/,
    () => "-",
  ),
  replaced("unit of time that is not there", duration, ({ match }) => `${match[1]}sec`),
  replaced("duration without a unit", duration, ({ match }) => `${match[1]}`),
  replaced(
    "text for a number",
    /(?<=\b(?:qos|retries|keepalive|max_retries|checkpoint_limit|max_attempts|max_in_flight): )\d+/,
    () => "many",
  ),
  replaced("number out of range", /(?<=\bqos"?: )\d/, () => "3"),
  replaced(
    "number below zero",
    /(?<=\b(?:retries|keepalive|max_retries|checkpoint_limit|max_attempts): )\d+/,
    () => "-1",
  ),
  replaced(
    "fraction for a whole number",
    /(?<=\b(?:qos|retries|checkpoint_limit|max_attempts): )\d+/,
    () => "1.5",
  ),
  replaced(
    "text for a bool",
    /(?<=\b(?:retained|clean_session|fallthrough|start_from_oldest|ack_replicas|enabled|active): )(?:true|false)/,
    () => '"yes"',
  ),
  replaced("text for a list", /(?<=\b(?:topics|urls|addresses): )\[.*?\](?=[,\n} ])/, () => "{ a: b }"),
  replaced(
    "number for a text",
    /(?<=\b(?:topic|subject|consumer_group): )[a-z][\w.-]*(?=[,}\s])/,
    () => "12",
  ),
  replaced(
    "list for a text",
    /(?<=\b(?:topic|subject|consumer_group): )[a-z][\w.-]*(?=[,}\s])/,
    ({ match }) => `[${match[0]}]`,
  ),
  replaced(
    "value that is not among those allowed",
    /(?<=\b(?:pattern|compression|strategy|stream_format|message_type): )[a-z_]+/,
    ({ match }) => slip(match[0]),
  ),
  replaced("method of requests misspelt", /(?<=\bverb: )[A-Z]+/, ({ match }) => slip(match[0])),
  replaced("verb of an endpoint misspelt", /(?<=allowed_verbs"?: ?\["?)[A-Z]+/, ({ match }) =>
    slip(match[0]),
  ),
  replaced("list that is empty", /(?<=\b(?:topics|urls|addresses|allowed_verbs): )\[[^\]\n]*\]/, () => "[]"),
  replaced("port out of range", /(?<=(?:localhost|127\.0\.0\.1|0\.0\.0\.0):)\d{4,5}/, () => "98765"),
  replaced("address without its scheme", /(?<=\b(?:url|urls): \[?"?)https?:\/\//, () => ""),
  replaced("scheme of another protocol", /(?<=\burls: \["?)(?:nats|tcp|mqtt):\/\//, () => "http://"),
  replaced(
    "wildcard in a topic that is written",
    /(?<=output:[\s\S]{0,80}(?:mqtt): \{[^}\n]*topic: "?)[\w/]+/,
    ({ match }) => `${match[0]}/#`,
  ),
  replaced(
    "wildcard in a subject that is written",
    /(?<=output:[\s\S]{0,80}nats: \{[^}\n]*subject: "?)[\w.]+/,
    ({ match }) => `${match[0]}.>`,
  ),
  replaced("blank in a subject", /(?<=\bsubject: "?)[a-z]+\b/, ({ match }) =>
    `"${match[0]} of all"`.replace(/^"|"$/g, ""),
  ),
  replaced(
    "topic of Kafka with characters it has not",
    /(?<=kafka: \{[^}\n]*topics?: \[?)[a-z][\w.]*/,
    ({ match }) => `${match[0]}/new`,
  ),
  replaced("wildcard inside a part of a topic", /(?<=\btopics: \["?\w+\/)\+/, () => "a+"),
  replaced(
    "query where none is read",
    /(?<=\b(?:consumer_group|client_id|queue): )[a-z][\w-]*/,
    () => '"${! this.id }"',
  ),
  replaced("query not closed", /(?<=\$\{! ?[^}\n"]*?) ?\}(?=[^}\n]*$)/, () => " "),
  replaced("environment reference not closed", /(?<=\$\{[A-Z_]+(?::[\w./:-]*)?)\}/, () => ""),
  replaced(
    "default of the wrong type",
    /(?<=\b(?:qos|keepalive|clean_session|ack_replicas|max_retries|drop_empty_bodies|retries): \$\{[A-Z_]+:)\w+/,
    () => "often",
  ),
];
