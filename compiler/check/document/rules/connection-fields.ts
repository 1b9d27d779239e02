// Rules about the fields of connections, including logins.

import { databases } from "../../../../schemas/formats/sql.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import {
  findField,
  findNamedField,
  innerFields,
  literalText,
  type NamedField,
} from "../../../trees/fields.ts";
import type { Template } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";

/** Reports interpolations that need a message in fields that are read before any message exists. */
export function checkConnectionFields({ config, descriptor }: ComponentNode, report: Report): void {
  const schema = descriptor?.schema;
  if (schema !== undefined) checkFields(schema, config, report);
}

/**
 * Reports a database address that its driver cannot read. An address with variables is checked up to the first
 * variable.
 */
export function checkDatabase({ config }: ComponentNode, report: Report): void {
  const field = findField(config, "dsn");
  const database = databases.get(literalText(findField(config, "driver")) ?? "");
  if (field === undefined || database === undefined) return;
  const { start, example, reason } = database;
  const { source, start: from, end } = field.span;
  const value = literalText(field) ?? source.text.slice(from, end).replace(/^["']/, "");
  const [fixed = ""] = value.split("${", 1);
  const isWhole = fixed === value || fixed.includes("://");
  if (isWhole && !start.test(fixed))
    report("GW4080", field.span, { value, title: "the address of a database", reason, example });
  else checkTlsMode(value, field, report);
}

const tlsModes: ReadonlySet<string> = new Set([
  ...["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"],
]);

/** Reports an `sslmode` that PostgreSQL does not know: the connection would be encrypted. */
function checkTlsMode(value: string, { span }: FieldNode, report: Report): void {
  const [, mode] = /^postgres(?:ql)?:[^?]*\?(?:[^#]*&)?sslmode=([^&#$]+)(?=[&#]|$)/i.exec(value) ?? [];
  if (mode === undefined || tlsModes.has(mode)) return;
  const reason = "PostgreSQL knows `disable`, `require`, `verify-ca` and `verify-full`";
  const { closest } = nearest(mode, tlsModes);
  const example = closest && `sslmode=${closest}`;
  report("GW4080", span, { value: mode, title: "an `sslmode`", reason, example });
}

/** Checks the same for any value and its schema; `x-before-messages` marks the fields concerned. */
export function checkFields(schema: Schema, value: FieldNode, report: Report): void {
  if (value.kind !== "Object") return;
  for (const field of value.fields) {
    const own = schema.properties?.[field.name];
    if (own?.["x-before-messages"]) reportTemplates(field.name, field.value, report);
    else if (own !== undefined) checkFields(own, field.value, report);
  }
}

function reportTemplates(field: string, value: FieldNode, report: Report): void {
  if (value.kind === "Template" && readsMessage(value.template)) report("GW4065", value.span, { field });
  for (const inner of innerFields(value)) reportTemplates(field, inner, report);
}

/** Functions that need the current message. */
const messageFunctions: ReadonlySet<string> = new Set([
  "batch_index",
  "batch_size",
  "content",
  "error",
  "errored",
  "json",
  "meta",
  "metadata",
  "root_meta",
]);

function readsMessage(template: Template): boolean {
  let isRead = false;
  const found = () => {
    isRead = true;
  };
  walk(template, {
    This: found,
    Root: found,
    Metadata: found,
    FunctionCall({ name }) {
      if (messageFunctions.has(name.text)) found();
    },
  });
  return isRead;
}

/** Reports the user and password of an AMQP 1.0 component whose mechanism sends neither. */
export function checkUnusedLogins({ config }: ComponentNode, report: Report): void {
  const sasl = findField(config, "sasl");
  if (sasl === undefined) return;
  const written = findField(sasl, "mechanism");
  const mechanism = written === undefined ? "none" : literalText(written);
  if (mechanism !== "none" && mechanism !== "anonymous") return;
  for (const field of ["user", "password"]) {
    const value = findNamedField(sasl, field);
    if (value !== undefined && literalText(value.value) !== "")
      report("GW4174", value.nameSpan, { field, mechanism });
  }
}

const blocks = ["oauth", "oauth2", "basic_auth", "jwt"];

/** Reports the second setting in a component that sets `Authorization`, and retries of statuses that are not retried. */
export function checkRequests({ name, config }: ComponentNode, report: Report): void {
  if (config.kind !== "Object") return;
  const dropped = statusesOf(findField(config, "drop_on"));
  for (const [status, { span }] of statusesOf(findField(config, "backoff_on"))) {
    const drop = dropped.get(status);
    if (drop === undefined) continue;
    const message = `\`backoff_on\` has no effect on ${status}, which \`drop_on\` lists, too.`;
    const hint = "Remove it from one of the two lists.";
    const related = { span: drop.span, message: "It is listed here." };
    report("GW4413", span, { component: name, message, hint }, related);
  }
  const headers = fieldsOf(findField(config, "headers"));
  const setting = [
    ...config.fields.filter((field) => blocks.includes(field.name) && isSwitchedOn(field.value)),
    ...headers.filter((header) => header.name.toLowerCase() === "authorization"),
  ].sort((a, b) => a.nameSpan.start - b.nameSpan.start);
  const [first, second] = setting;
  if (first === undefined || second === undefined) return;
  const related = { span: first.nameSpan, message: `\`${first.name}\` is here.` };
  report("GW4191", second.nameSpan, { first: first.name, second: second.name }, related);
}

/** Returns the statuses of a list. Those from the environment are not known yet. */
function statusesOf(list: FieldNode | undefined): ReadonlyMap<number, FieldNode> {
  const items = list?.kind === "List" ? list.items : [];
  return new Map(
    items.flatMap((item) =>
      item.kind === "Literal" && typeof item.value === "number" ? [[item.value, item] as const] : [],
    ),
  );
}

function fieldsOf(field: FieldNode | undefined): readonly NamedField[] {
  return field?.kind === "Object" ? field.fields : [];
}

/** A switch that is decided when the gateway starts counts as off: only then is it known which blocks are on. */
function isSwitchedOn(block: FieldNode): boolean {
  const enabled = findField(block, "enabled");
  return enabled?.kind === "Literal" && enabled.value === true;
}
