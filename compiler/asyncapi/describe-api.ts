// Creates an AsyncAPI document of a checked API: its streams as clients of the gateway see them. The facts about the
// API as a whole come from OpenAPI, as far as AsyncAPI has a place for them.

import { descriptorOf } from "../../schemas/component.ts";
import type { CheckedSet } from "../check/checked-set.ts";
import type { ApiModel } from "../model/api.ts";
import { endsOf } from "../model/components.ts";
import type { ApiDescription, DescribedTag } from "../model/description.ts";
import type { Route } from "../model/routes.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import { componentPaths } from "../trees/component-paths.ts";
import { type DocumentNode, findText, type Json } from "../trees/document.ts";
import {
  type AsyncApiDocument,
  type AsyncApiOperation,
  type Channel,
  createKeys,
  referTo,
} from "./document.ts";
import { createMessages } from "./messages.ts";
import {
  type AsyncApiView,
  createStreamMessages,
  describeChannel,
  eventStreamBinding,
  httpBinding,
  type StreamMessage,
  summaryOf,
} from "./route-channels.ts";
import { describeSecurity } from "./security.ts";
import { type BrokerChannel, createBrokers, describeServers, type Servers } from "./servers.ts";

/** The version of stream documents without OpenAPI, which declare none. */
const unnumbered = "0.0.0";

/** Returns the `info` object. Title and version are always present: the name of the API is the default title. */
function describeInfo(api: ApiModel): AsyncApiDocument["info"] {
  const { name, id, description: about } = api;
  const { title, version, description, termsOfService, contact, license, tags, externalDocs } = about;
  return {
    title: findText(title) ?? name ?? id,
    version: findText(version) ?? unnumbered,
    ...textsOf({ description, termsOfService }),
    ...blockOf("contact", contact),
    ...licenseOf(license),
    ...(tags.length > 0 && { tags: tags.map(tagOf) }),
    ...blockOf("externalDocs", externalDocs),
  };
}

/** AsyncAPI has no field for SPDX identifiers, so the identifier is used as the name if there is none. */
function licenseOf({ name, identifier, url }: ApiDescription["license"]): Readonly<Record<string, Json>> {
  const named = findText(name) === undefined ? identifier : name;
  return findText(named) === undefined ? {} : blockOf("license", { name: named, url });
}

function tagOf({ name, description, externalDocs }: DescribedTag): Json {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...blockOf("externalDocs", externalDocs),
  };
}

type Nodes = Readonly<Record<string, DocumentNode | undefined>>;

/** Returns an object `name` with those values that are texts; an empty object if there are none. */
function blockOf(name: string, nodes: Nodes): Readonly<Record<string, Json>> {
  const texts = textsOf(nodes);
  return Object.keys(texts).length === 0 ? {} : { [name]: texts };
}

function textsOf(nodes: Nodes): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [key, node] of Object.entries(nodes)) {
    const text = findText(node);
    if (text !== undefined) texts[key] = text;
  }
  return texts;
}

export interface DescribeOptions {
  /** Addresses where clients reach the gateway, such as `https://api.example.com`; those of the document by default. */
  readonly servers?: readonly string[];
  /**
   * The side whose `send` and `receive` are described: the gateway by default. Generators write the application of that
   * side.
   */
  readonly view?: AsyncApiView;
  /** Whether to describe channels of brokers too, which clients of the gateway do not see. */
  readonly withBrokers?: boolean;
}

/** Describes one API of a set that checks without errors. The same document always has the same description. */
export function describeApi(
  api: ApiModel,
  checked: CheckedSet,
  { servers: given = [], view = "gateway", withBrokers = false }: DescribeOptions = {},
): AsyncApiDocument {
  const routes = checked.whole.routes.filter((route) => route.api === api);
  const hasSockets = routes.some(({ transport }) => transport === "websocket");
  const servers = describeServers(api, hasSockets, given);
  const messages = createMessages();
  const { schemes, of: securityOf } = describeSecurity(api, originOf(servers));
  const description = new Description(servers, securityOf, view);
  const brokers = createBrokers();
  for (const stream of api.streams) {
    const messageOf = createStreamMessages(stream, api, checked, messages);
    const answer = endsOf(stream, "output").find(answersRequests);
    for (const route of routes.filter((each) => each.stream === stream)) {
      const { component, field, transport } = route;
      const isAnswered = component.role === "input" && transport === "http" && answer !== undefined;
      description.addRoute(
        route,
        messageOf(component, field === "stream_path" ? eventStreamBinding : undefined),
        isAnswered ? messageOf(answer) : undefined,
      );
    }
    for (const { component, event } of webhooksOf(stream)) {
      description.addWebhook(stream, event, messageOf(component));
    }
    if (!withBrokers) continue;
    for (const component of [...endsOf(stream, "input"), ...endsOf(stream, "output")]) {
      for (const channel of brokers.channelsOf(component))
        description.addBrokerChannel(stream, component, channel, messageOf(component));
    }
  }
  const components = {
    ...messages.components(),
    ...(Object.keys(schemes).length > 0 && { securitySchemes: schemes }),
  };
  const all = { ...servers.http, ...servers.sockets, ...brokers.servers() };
  return {
    asyncapi: "3.1.0",
    info: describeInfo(api),
    defaultContentType: "application/json",
    ...(Object.keys(all).length > 0 && { servers: all }),
    ...description.whole(),
    ...(Object.keys(components).length > 0 && { components }),
  };
}

/** Returns the origin of the first server; `undefined` if its host contains variables. */
function originOf({ http }: Servers): string | undefined {
  const [first] = Object.values(http);
  return first === undefined || first.host.includes("{") ? undefined : `${first.protocol}://${first.host}`;
}

/** Collects the channels and operations of an API. */
class Description {
  readonly #servers: Servers;
  readonly #securityOf: ReturnType<typeof describeSecurity>["of"];
  readonly #view: AsyncApiView;
  readonly #channels = new Map<string, Channel>();
  readonly #operations = new Map<string, AsyncApiOperation>();
  readonly #claimChannel = createKeys();
  readonly #claimOperation = createKeys();
  /** The keys of channels by transport and path. */
  readonly #keys = new Map<string, string>();

  constructor(servers: Servers, securityOf: ReturnType<typeof describeSecurity>["of"], view: AsyncApiView) {
    this.#servers = servers;
    this.#securityOf = securityOf;
    this.#view = view;
  }

  whole(): Pick<AsyncApiDocument, "channels" | "operations"> {
    return {
      channels: Object.fromEntries(this.#channels),
      operations: Object.fromEntries(this.#operations),
    };
  }

  /** Adds a route; `answer` is the message of its responses. */
  addRoute(route: Route, message: StreamMessage, answer?: StreamMessage): void {
    const { transport, ownPath, stream, component } = route;
    const isSocket = transport === "websocket";
    const key = this.#keyOf(`${transport} ${ownPath}`, isSocket ? `${ownPath}_socket` : ownPath);
    const servers = isSocket ? this.#servers.sockets : this.#servers.http;
    const channel = describeChannel(route, Object.keys(servers));
    this.#addToChannel(key, channel, message);
    if (answer !== undefined) this.#addToChannel(key, channel, answer);
    const action = this.#actionOf(component.role === "input" ? "receive" : "send");
    const verbs = isSocket ? ["GET"] : route.verbs;
    for (const verb of verbs) {
      const last = isSocket ? "socket" : verbs.length > 1 ? verb : "";
      this.#operations.set(this.#claimOperation(`${action}_${stream.name}_${last}`, "operation"), {
        action,
        channel: referTo("channels", key),
        title: stream.name,
        summary: summaryOf(route, this.#view),
        ...this.#securityOf(ownPath, verb),
        ...(!isSocket && { bindings: httpBinding(verb) }),
        messages: [referTo("channels", key, "messages", message.key)],
        ...(answer !== undefined && {
          reply: {
            channel: referTo("channels", key),
            messages: [referTo("channels", key, "messages", answer.key)],
          },
        }),
      });
    }
  }

  addBrokerChannel(
    stream: StreamNode,
    component: ComponentNode,
    { identity, address, parameters, servers, bindings, operationBindings }: BrokerChannel,
    message: StreamMessage,
  ): void {
    const key = this.#keyOf(identity, `${address ?? stream.name}_${servers[0] ?? "server"}`);
    const described = {
      address,
      ...(parameters !== undefined && { parameters }),
      servers: servers.map((name) => referTo("servers", name)),
      ...(bindings !== undefined && { bindings }),
    };
    this.#addToChannel(key, described, message);
    const action = this.#actionOf(component.role === "input" ? "receive" : "send");
    this.#operations.set(this.#claimOperation(`${action}_${stream.name}_${key}`, "operation"), {
      action,
      channel: referTo("channels", key),
      title: stream.name,
      // Consumer groups and queues belong to the gateway, not to the application on the other side of the broker.
      ...(operationBindings !== undefined && this.#view === "gateway" && { bindings: operationBindings }),
      messages: [referTo("channels", key, "messages", message.key)],
    });
  }

  #actionOf(ofGateway: AsyncApiOperation["action"]): AsyncApiOperation["action"] {
    if (this.#view === "gateway") return ofGateway;
    return ofGateway === "send" ? "receive" : "send";
  }

  /** Adds a webhook, whose address the subscriber chooses. */
  addWebhook(stream: StreamNode, event: string, message: StreamMessage): void {
    const key = this.#keyOf(`webhook ${event}`, `${event}_webhook`);
    const described = {
      address: null,
      title: event,
      description: "A webhook. Subscribers set the address for its messages in the developer portal.",
    };
    this.#addToChannel(key, described, message);
    const action = this.#actionOf("send");
    this.#operations.set(this.#claimOperation(`${action}_${stream.name}_${event}`, "operation"), {
      action,
      channel: referTo("channels", key),
      title: stream.name,
      summary:
        action === "send"
          ? `Sends each message to the subscribers of ${event}.`
          : `Receives each message as a subscriber of ${event}.`,
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

function answersRequests(output: ComponentNode): boolean {
  return descriptorOf("output", output)?.answersRequests === true;
}

/** An output that sends messages to the subscribers of an event. */
interface WebhookOutput {
  readonly component: ComponentNode;
  readonly event: string;
}

/**
 * Returns webhook outputs, including those inside other components, except those whose event comes from the
 * environment.
 */
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
