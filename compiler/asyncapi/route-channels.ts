// Describes routes of the gateway as channels and operations, and the messages that the components of a stream receive
// and send.

import type { CheckedSet } from "../check/checked-set.ts";
import { hideSecretsIn } from "../diagnostics/secrets/without-secrets.ts";
import type { ApiModel } from "../model/api.ts";
import { schemaIn } from "../model/operation-parts.ts";
import { type DeclaredParameter, pathsBelow } from "../model/operations.ts";
import type { Route } from "../model/routes.ts";
import { SchemaModel } from "../model/schema-model.ts";
import { createStepPlanner, planDeclared } from "../plan/message-steps.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import type { DocumentNode, Json } from "../trees/document.ts";
import { type AsyncApiReference, type Channel, referTo } from "./document.ts";
import type { Messages } from "./messages.ts";

/** A message by its key in `components.messages`. */
export interface StreamMessage {
  readonly key: string;
  readonly reference: AsyncApiReference;
}

/**
 * Returns a function for the message of an input or output, with its own bindings if there are any. Each message is
 * added to `messages` on the first request for it.
 */
export function createStreamMessages(
  stream: StreamNode,
  api: ApiModel,
  checked: CheckedSet,
  messages: Messages,
): (component: ComponentNode, bindings?: Json) => StreamMessage {
  const declared = checked.declared(stream);
  const hide = hideSecretsIn(checked.files);
  const steps = createStepPlanner(api, hide)({ steps: checked.namedSteps(stream), declared });
  const ends: readonly (ComponentNode | undefined)[] = [stream.input, stream.output, stream.deadLetter];
  const added = new Map<unknown, Map<unknown, StreamMessage>>();
  return (component, bindings) => {
    const name =
      component === stream.deadLetter ? "dead letter" : component.role === "input" ? "input" : "output";
    const own = planDeclared(component, declared, api);
    // Nothing is known about dead letters: any step may have failed.
    const schema = own?.schema ?? steps.find((step) => step.name === name)?.schema ?? true;
    // The declaration of a nested input or output is a message of its own, in addition to that of the whole.
    const identity = own === undefined || ends.includes(component) ? name : component;
    const same = added.get(identity) ?? new Map<unknown, StreamMessage>();
    added.set(identity, same);
    // As server-sent events they are separate messages, because their bindings differ.
    const title = `${stream.name} ${bindings === undefined ? titles[name] : "streamed"}`;
    const message = same.get(title) ?? messages.add(title, schema, bindings);
    same.set(title, message);
    return message;
  };
}

const titles = { input: "taken", output: "given", "dead letter": "refused" } as const;

/** The side whose `send` and `receive` a document describes. */
export type AsyncApiView = "gateway" | "client";

/** Returns the channel of a route, at the servers with these keys. */
export function describeChannel(route: Route, servers: readonly string[]): Omit<Channel, "messages"> {
  const { transport, ownPath } = route;
  const parameters = describeParameters(route);
  return {
    address: ownPath,
    ...(servers.length > 0 && { servers: servers.map((name) => referTo("servers", name)) }),
    ...(parameters !== undefined && { parameters }),
    ...(transport === "websocket" && { bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } } }),
  };
}

/** Returns the parameters of a path by name, as the document declares them. In AsyncAPI, their values are texts. */
function describeParameters({ api, ownPath }: Route): Readonly<Record<string, Json>> | undefined {
  const names = Array.from(ownPath.matchAll(/\{([^{}/]+)\}/g), ([, name = ""]) => name);
  if (names.length === 0) return undefined;
  const declared = api.paths
    .filter(({ path }) => pathsBelow(path, api).includes(ownPath))
    .flatMap((path) => [path, ...path.operations().values()].flatMap((holder) => holder.parameters()));
  const entries = names.map((name) => {
    const parameter = declared.find((each) => each.in === "path" && each.name === name);
    return [name, parameter === undefined ? {} : describeParameter(parameter, api)] as const;
  });
  return Object.fromEntries(entries);
}

function describeParameter(
  { node, description, example }: DeclaredParameter,
  { references }: ApiModel,
): Json {
  const written = schemaIn(node, references);
  const schema = new SchemaModel(written && references.resolve(written));
  const values = schema.choices.flatMap(scalarsOf);
  const [usual] = scalarsOf(schema.default);
  const examples = [...scalarsOf(schema.examples), ...scalarsOf(example)];
  return {
    ...(description !== undefined && { description }),
    ...(values.length > 0 && { enum: values }),
    ...(usual !== undefined && { default: usual }),
    ...(examples.length > 0 && { examples }),
  };
}

/** Returns the scalars of a list, or the scalar, as texts. */
function scalarsOf(node: DocumentNode | undefined): readonly string[] {
  const nodes = node?.kind === "list" ? node.items : node === undefined ? [] : [node];
  return nodes.flatMap((each) => (each.kind === "scalar" && each.value !== null ? [String(each.value)] : []));
}

/** The binding of a message in an event stream; its content is the data of the event. */
export const eventStreamBinding: Json = {
  http: {
    headers: {
      type: "object",
      properties: { "Content-Type": { type: "string", const: "text/event-stream" } },
    },
    statusCode: 200,
    bindingVersion: "0.3.0",
  },
};

/** Returns the binding of an HTTP operation. */
export function httpBinding(method: string): Json {
  return { http: { method, bindingVersion: "0.3.0" } };
}

/** Returns the summary of a route in the view of the gateway or of its client. */
export function summaryOf({ transport, field, component }: Route, view: AsyncApiView): string {
  const isGateway = view === "gateway";
  const isTaken = component.role === "input";
  const verb = isTaken === isGateway ? "Receives" : "Sends";
  if (transport === "websocket") return `${verb} one message per frame.`;
  if (isTaken) {
    return isGateway
      ? "Receives the body of each request as a message; each part of a multipart body is one message."
      : "Sends a message as the body of a request, or several as the parts of a multipart body.";
  }
  if (field === "stream_path")
    return isGateway
      ? "Streams messages in a response that stays open."
      : "Receives messages in a response that stays open.";
  const hasOpenPath =
    component.config.kind === "Object" && component.config.fields.some(({ name }) => isOpenPath(name));
  if (hasOpenPath) return `${verb} one message per response.`;
  return `${verb} one message per response, or all messages as server-sent events to clients that accept \`text/event-stream\`.`;
}

/** Whether the field is a path of an `http_server` output next to which `path` serves only single messages. */
function isOpenPath(field: string): boolean {
  return field === "stream_path" || field === "ws_path";
}
