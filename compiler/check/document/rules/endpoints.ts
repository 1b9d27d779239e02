// Rules about endpoints: their fields, how long their callers wait, and how their clients acknowledge.

import { descriptorOf } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import {
  componentsOf,
  componentsWithin,
  endsOf,
  endsWithin,
  findKey,
  isMeant,
  servesClients,
  writtenValue,
} from "../../../model/components.ts";
import { optionsNamed } from "../../../model/options.ts";
import { collectRoutes } from "../../../model/routes.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { findNamedField } from "../../../trees/fields.ts";

/** For each field, the fields of which at least one must be present for it to have an effect. */
const needs = {
  input: { allowed_verbs: ["path"] },
  output: {
    stream_format: ["stream_path"],
    heartbeat: ["path", "stream_path"],
    allowed_verbs: ["path", "stream_path"],
    timeout: ["path"],
    ws_message_type: ["path", "ws_path"],
    ping_period: ["path", "ws_path"],
    pong_wait: ["path", "ws_path"],
    write_wait: ["path", "ws_path"],
    ack: ["path", "ws_path"],
    ack_timeout: ["path", "ws_path"],
  },
} as const;

const endpoints = { input: ["path", "ws_path"], output: ["path", "stream_path", "ws_path"] } as const;

/** Reports an `http_server` without an endpoint, or with fields of an endpoint that it does not have. */
export function checkEndpoints(component: ComponentNode, report: Report): void {
  const { role, nameSpan } = component;
  if (role !== "input" && role !== "output") return;
  if (writtenValue(component)?.kind !== "map") return;
  const isWritten = (field: string) => isThere(component, field);
  if (!endpoints[role].some(isWritten)) {
    report("GW4032", nameSpan, { role, fields: endpoints[role] });
    return;
  }
  for (const [field, oneOf] of Object.entries(needs[role])) {
    const written = findKey(component, field);
    if (written === undefined || oneOf.some(isWritten)) continue;
    report("GW4033", written.keySpan, { field, needs: oneOf });
  }
}

/**
 * Whether `field` is written. An empty path is not an endpoint; an unreadable or misspelt path is reported elsewhere.
 */
function isThere(component: ComponentNode, field: string): boolean {
  const { config, descriptor } = component;
  return findNamedField(config, field) !== undefined || isMeant(config, field, descriptor?.schema ?? {});
}

const socketOptions = optionsNamed(["ack"]);

/** Reports an output with `ack: client` on a WebSocket that an input of the same stream reads. */
export function checkAcknowledgingSockets(stream: StreamNode, api: ApiModel, report: Report): void {
  const acknowledged = endsOf(stream, "output").filter(isAcknowledged);
  if (acknowledged.length === 0) return;
  const sockets = collectRoutes(api).filter(
    (route) => route.stream === stream && route.transport === "websocket",
  );
  const read = new Set(sockets.flatMap(({ component, path }) => (component.role === "input" ? [path] : [])));
  for (const { component, path } of sockets) {
    if (!acknowledged.includes(component) || !read.has(path)) continue;
    const ack = socketOptions(component)?.ack.value;
    if (ack !== undefined) report("GW4167", ack.span, { path });
  }
}

function isAcknowledged(output: ComponentNode): boolean {
  return socketOptions(output)?.ack.text === "client";
}

/**
 * Reports each written time of a processor or output that is longer than callers wait. Defaults are not reported: the
 * author of the document did not choose them.
 */
export function checkCallersWait(stream: StreamNode, _: unknown, report: Report): void {
  const waits = endsOf(stream, "input").filter(answersCallers).map(waitOf);
  const longest = Math.max(...waits);
  if (waits.length === 0 || Number.isNaN(longest)) return;
  // Callers do not wait for the dead letter output.
  const { processors, output } = stream;
  const waited = output === undefined ? processors : [...processors, output];
  for (const component of waited.flatMap(componentsWithin)) {
    for (const { field, held, span } of holdUps(component)) {
      if (held <= longest) continue;
      const details = { component: component.name, field, held: shown(held), wait: shown(longest) };
      report("GW4086", span, details);
    }
  }
}

/** Whether requests wait for this input: it has an HTTP route. */
function answersCallers({ config, descriptor }: ComponentNode): boolean {
  const properties = descriptor?.schema.properties ?? {};
  const fields = config.kind === "Object" ? config.fields : [];
  return fields.some(
    ({ name }) => Object.hasOwn(properties, name) && properties[name]?.["x-route"] === "http",
  );
}

/** Returns the milliseconds that callers of an `http_server` input wait; NaN if known only at start. */
function waitOf(input: ComponentNode): number {
  return serverOptions(input)?.timeout.milliseconds ?? Number.NaN;
}

const serverOptions = optionsNamed(["timeout"]);

/** Reports responses in a stream that reads only from brokers whose senders do not wait for a response. */
export function checkAnswers(stream: StreamNode, _: unknown, report: Report): void {
  const inputs = endsOf(stream, "input");
  const [reader] = inputs;
  if (reader === undefined || !inputs.every(hasNoCallers)) return;
  const { deadLetter: _aside, ...rest } = stream;
  for (const component of componentsOf(rest)) {
    if (component.descriptor?.answersRequests !== true) continue;
    const message = `no caller waits for the response, because \`${reader.name}\` sends no responses.`;
    const hint = "Read requests with `http_server`, or remove it and write the messages to an output.";
    report("GW4413", component.nameSpan, { component: component.name, message, hint });
  }
}

/** Whether the input reads messages from a broker that accepts no responses. */
function hasNoCallers({ descriptor }: ComponentNode): boolean {
  const input = descriptorOf("input", { descriptor });
  return input?.brokerChannels !== undefined && input.answersSenders !== true;
}

interface HoldUp {
  readonly field: string;
  readonly held: number;
  readonly span: Span;
}

/** Returns the durations that were written for fields marked with `x-holds-up` in the component's schema. */
function holdUps({ config, descriptor }: ComponentNode): readonly HoldUp[] {
  const properties = descriptor?.schema.properties ?? {};
  const fields = config.kind === "Object" ? config.fields : [];
  return fields.flatMap(({ name, value }) => {
    const isHeld = Object.hasOwn(properties, name) && properties[name]?.["x-holds-up"] === true;
    return isHeld && value.kind === "Duration"
      ? [{ field: name, held: value.milliseconds, span: value.span }]
      : [];
  });
}

function shown(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}

/** Reports `auto_ack: true`, and buffers, which acknowledge early too. */
export function checkEarlyAcknowledgements(component: ComponentNode, report: Report): void {
  const { role, name, nameSpan } = component;
  if (role === "buffer") report("GW4173", nameSpan, { what: name });
  const early = deliveryOptions(component)?.auto_ack;
  if (early?.value !== undefined && early.isTrue) report("GW4173", early.value.span, { what: early.name });
}

const deliveryOptions = optionsNamed(["auto_ack"]);

/** Reports the client endpoints of a fan-out that also has other outputs. */
export function checkFanOuts(component: ComponentNode, report: Report): void {
  if (!isFanOut(component)) return;
  const outputs = endsWithin(component);
  // If all outputs serve clients, the input is not read before each of them has a client.
  if (outputs.every(servesClients)) return;
  const free = componentsWithin(component).filter(doesWithoutClients).flatMap(endsWithin);
  for (const output of outputs) {
    if (servesClients(output) && !free.includes(output))
      report("GW4062", output.nameSpan, { endpoint: output.name });
  }
}

/** Whether one output can make another wait: only the fan-out patterns do so. */
function isFanOut(output: ComponentNode): boolean {
  return patternOptions(output)?.pattern.text?.startsWith("fan_out") === true;
}

const patternOptions = optionsNamed(["pattern"]);
const dropOptions = optionsNamed(["back_pressure"]);

/** Whether the component is a `drop_on` that does not wait for clients, or a choice that can use another output. */
function doesWithoutClients(component: ComponentNode): boolean {
  const output = component.role === "output" ? descriptorOf("output", component) : undefined;
  if (output?.flow === "drop-refused") return dropOptions(component)?.back_pressure.value !== undefined;
  const isChoice = patternOptions(component) !== undefined && output !== undefined && !isFanOut(component);
  return isChoice && !endsWithin(component).every(servesClients);
}
