// A checked API in, what its clients see of its streams out: an AsyncAPI document of the gateway.

import { descriptorOf } from "../../schemas/component.ts";
import type { CheckedSet } from "../check/checked-set.ts";
import type { ApiModel } from "../model/api.ts";
import type { Route } from "../model/routes.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import { componentPaths } from "../trees/component-paths.ts";
import type { Json } from "../trees/document.ts";
import { type AsyncApiDocument, type AsyncApiOperation, type Channel, referTo } from "./document.ts";
import { describeInfo } from "./info.ts";
import { createKeys } from "./keys.ts";
import { createMessages } from "./messages.ts";
import { describeSecurity } from "./security.ts";
import { describeServers, type Servers } from "./servers.ts";
import { createStreamMessages, type StreamMessage } from "./stream-messages.ts";

export interface DescribeOptions {
  /** Addresses where clients reach the gateway, such as `https://api.example.com`; those of the document by default. */
  readonly servers?: readonly string[];
}

/** Describes one API of a set that checks without errors. Same document, same description. */
export function describeApi(
  api: ApiModel,
  checked: CheckedSet,
  { servers: given = [] }: DescribeOptions = {},
): AsyncApiDocument {
  const routes = checked.whole.routes.filter((route) => route.api === api);
  const hasSockets = routes.some(({ transport }) => transport === "websocket");
  const servers = describeServers(api, hasSockets, given);
  const messages = createMessages();
  const { schemes, of: securityOf } = describeSecurity(api, originOf(servers));
  const description = new Description(servers, securityOf);
  for (const stream of api.streams) {
    const messageOf = createStreamMessages(stream, api, checked, messages);
    for (const route of routes.filter((each) => each.stream === stream)) {
      description.addRoute(route, messageOf(route.component));
    }
    for (const { component, event } of webhooksOf(stream)) {
      description.addWebhook(stream, event, messageOf(component));
    }
  }
  const components = {
    ...messages.components(),
    ...(Object.keys(schemes).length > 0 && { securitySchemes: schemes }),
  };
  const all = { ...servers.http, ...servers.sockets };
  return {
    asyncapi: "3.0.0",
    info: describeInfo(api),
    defaultContentType: "application/json",
    ...(Object.keys(all).length > 0 && { servers: all }),
    ...description.whole(),
    ...(Object.keys(components).length > 0 && { components }),
  };
}

/** Where the first server is, unless that has variables. */
function originOf({ http }: Servers): string | undefined {
  const [first] = Object.values(http);
  return first === undefined || first.host.includes("{") ? undefined : `${first.protocol}://${first.host}`;
}

/** The channels and operations of an API while they are collected. */
class Description {
  readonly #servers: Servers;
  readonly #securityOf: ReturnType<typeof describeSecurity>["of"];
  readonly #channels = new Map<string, Channel>();
  readonly #operations = new Map<string, AsyncApiOperation>();
  readonly #claimChannel = createKeys();
  readonly #claimOperation = createKeys();
  /** Keys of channels by what is one: a path as one transport serves it. */
  readonly #keys = new Map<string, string>();

  constructor(servers: Servers, securityOf: ReturnType<typeof describeSecurity>["of"]) {
    this.#servers = servers;
    this.#securityOf = securityOf;
  }

  whole(): Pick<AsyncApiDocument, "channels" | "operations"> {
    return {
      channels: Object.fromEntries(this.#channels),
      operations: Object.fromEntries(this.#operations),
    };
  }

  addRoute(route: Route, message: StreamMessage): void {
    const { transport, ownPath, stream, component } = route;
    const isSocket = transport === "websocket";
    const key = this.#keyOf(`${transport} ${ownPath}`, isSocket ? `${ownPath}_socket` : ownPath);
    const servers = isSocket ? this.#servers.sockets : this.#servers.http;
    this.#addToChannel(key, describeChannel(route, Object.keys(servers)), message);
    const action = component.role === "input" ? "receive" : "send";
    const verbs = isSocket ? ["GET"] : route.verbs;
    for (const verb of verbs) {
      const last = isSocket ? "socket" : verbs.length > 1 ? verb : "";
      this.#operations.set(this.#claimOperation(`${action}_${stream.name}_${last}`, "operation"), {
        action,
        channel: referTo("channels", key),
        title: stream.name,
        summary: summaryOf(route, action),
        ...this.#securityOf(ownPath, verb),
        ...(!isSocket && { bindings: httpBinding(verb) }),
        messages: [referTo("channels", key, "messages", message.key)],
      });
    }
  }

  /** The address is the subscriber's. */
  addWebhook(stream: StreamNode, event: string, message: StreamMessage): void {
    const key = this.#keyOf(`webhook ${event}`, `${event}_webhook`);
    const described = {
      address: null,
      title: event,
      description: "A webhook. Subscribers set the address for its messages in the developer portal.",
    };
    this.#addToChannel(key, described, message);
    this.#operations.set(this.#claimOperation(`send_${stream.name}_${event}`, "operation"), {
      action: "send",
      channel: referTo("channels", key),
      title: stream.name,
      summary: `Sends each message to the subscribers of ${event}.`,
      bindings: httpBinding("POST"),
      messages: [referTo("channels", key, "messages", message.key)],
    });
  }

  #keyOf(identity: string, name: string): string {
    const key = this.#keys.get(identity) ?? this.#claimChannel(name, "root");
    this.#keys.set(identity, key);
    return key;
  }

  #addToChannel(
    key: string,
    described: Omit<Channel, "messages">,
    { key: name, reference }: StreamMessage,
  ): void {
    const messages = { ...this.#channels.get(key)?.messages, [name]: reference };
    this.#channels.set(key, { ...described, messages });
  }
}

function describeChannel(route: Route, servers: readonly string[]): Omit<Channel, "messages"> {
  const { transport, ownPath } = route;
  const parameters = [...ownPath.matchAll(/\{([^{}/]+)\}/g)].map(([, name = ""]) => [name, {}] as const);
  return {
    address: ownPath,
    ...(servers.length > 0 && { servers: servers.map((name) => referTo("servers", name)) }),
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    ...(transport === "websocket" && { bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } } }),
  };
}

function httpBinding(method: string): Json {
  return { http: { method, bindingVersion: "0.3.0" } };
}

function summaryOf({ transport, field, component }: Route, action: AsyncApiOperation["action"]): string {
  if (transport === "websocket") {
    return action === "receive" ? "Receives one message per frame." : "Sends one message per frame.";
  }
  if (action === "receive")
    return "Receives the body of each request as a message; each part of a multipart body is one message.";
  if (field === "stream_path") return "Streams messages in a response that stays open.";
  return component.config.kind === "Object" && component.config.fields.some(({ name }) => isOpenPath(name))
    ? "Sends one message per response."
    : "Sends one message per response, or all messages as server-sent events to clients that accept `text/event-stream`.";
}

/** The paths of an `http_server` output beside which `path` is only for single messages. */
function isOpenPath(field: string): boolean {
  return field === "stream_path" || field === "ws_path";
}

/** An output that hands messages to the subscribers of an event. */
interface WebhookOutput {
  readonly component: ComponentNode;
  readonly event: string;
}

/** Also those inside other components; events that only the environment knows are left out. */
function webhooksOf(stream: StreamNode): readonly WebhookOutput[] {
  return [...componentPaths(stream).keys()].flatMap((component) => {
    const isWebhook = component.role === "output" && descriptorOf("output", component)?.isPortalWebhook;
    if (isWebhook !== true || component.config.kind !== "Object") return [];
    const event = component.config.fields.find(({ name }) => name === "event_type")?.value;
    return event?.kind === "Literal" && typeof event.value === "string"
      ? [{ component, event: event.value }]
      : [];
  });
}
