// Whether a stream may run in several processes of one gateway at once, with the guarantees it has in one.

import type { ComponentPlan, ObjectPlan, StreamPlan, ValuePlan } from "./plan.ts";
import { valuesWithin } from "./values.ts";

/** Inputs whose broker divides the messages among all that read alike. */
const dividing: Readonly<Record<string, (options: ObjectPlan) => boolean>> = {
  amqp_0_9: () => true,
  amqp_1: () => true,
  kafka: (options) => isSet(options, "consumer_group"),
  kafka_franz: (options) => isSet(options, "consumer_group"),
  mqtt: (options) => texts(options, "topics").every((topic) => topic?.startsWith("$share/") === true),
  nats: (options) => isSet(options, "queue"),
  nats_jetstream: (options) => isSet(options, "durable") || isSet(options, "queue"),
};

/**
 * Streams that clients reach may, where what comes in is divided by requests or by a broker, and what goes out to
 * clients does not have to meet them in the process it came to. Background streams run once.
 */
export function isSpread({ input, output, errorHandling }: Omit<StreamPlan, "spread">): boolean {
  const inputs = endsIn([input], "input");
  const outputs = endsIn([output, ...(errorHandling === undefined ? [] : [errorHandling])], "output");
  const ends = [...inputs, ...outputs];
  if (!ends.some(servesClients) || ends.some(({ name }) => name === "inproc")) return false;
  const toClients = outputs.filter(servesClients);
  if (toClients.some(({ options }) => texts(options, "distribution").includes("broadcast"))) return false;
  return inputs.every((end) => (servesClients(end) ? toClients.length === 0 : divides(end)));
}

function divides({ name, options }: ComponentPlan): boolean {
  return Object.hasOwn(dividing, name) && dividing[name]?.(options) === true;
}

function servesClients({ name }: ComponentPlan): boolean {
  return name === "http_server" || name === "websocket_server";
}

/** The components of a role that hold no others of it. */
function endsIn(values: readonly ValuePlan[], role: "input" | "output"): readonly ComponentPlan[] {
  return values
    .flatMap((value) => componentsIn(value, role))
    .filter(({ options }) => componentsIn(options, role).length === 0);
}

function componentsIn(value: ValuePlan, role: "input" | "output"): readonly ComponentPlan[] {
  return [...valuesWithin(value)].filter(
    (each): each is ComponentPlan => each.kind === "Component" && each.role === role,
  );
}

/** What the environment will say counts as something. */
function isSet({ fields }: ObjectPlan, name: string): boolean {
  const value = fields.find((field) => field.name === name)?.value;
  return value !== undefined && !(value.kind === "Literal" && (value.value === "" || value.value === null));
}

/** The texts of a field; `undefined` for one that is not known yet. */
function texts({ fields }: ObjectPlan, name: string): readonly (string | undefined)[] {
  const value = fields.find((field) => field.name === name)?.value;
  if (value === undefined) return [];
  return (value.kind === "List" ? value.items : [value]).map((item) =>
    item.kind === "Literal" && typeof item.value === "string" ? item.value : undefined,
  );
}
