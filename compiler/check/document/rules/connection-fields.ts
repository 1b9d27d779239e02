// Rules about the fields of connections, including logins.

import { databases } from "../../../../schemas/formats/sql.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import { enabledOf, type Option, optionsNamed } from "../../../model/options.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { innerFields, literalText } from "../../../trees/fields.ts";
import type { Template } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";

/** Reports interpolations that need a message in fields that are read before any message exists. */
export function checkConnectionFields({ config, descriptor }: ComponentNode, report: Report): void {
  const schema = descriptor?.schema;
  if (schema !== undefined) checkFields(schema, config, report);
}

const databaseOptions = optionsNamed(["driver", "dsn"]);

/**
 * Reports a database address that its driver cannot read. An address with variables is checked up to the first
 * variable.
 */
export function checkDatabase(component: ComponentNode, report: Report): void {
  const options = databaseOptions(component);
  const field = options?.dsn.value;
  const database = databases.get(options?.driver.text ?? "");
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

const amqpOptions = optionsNamed(["sasl"]);
const loginOptions = optionsNamed(["mechanism", "user", "password"]);

/** Reports the user and password of an AMQP 1.0 component whose mechanism sends neither. */
export function checkUnusedLogins(component: ComponentNode, report: Report): void {
  const options = amqpOptions(component);
  const login = options && loginOptions(options.sasl);
  const mechanism = login?.mechanism.text;
  if (login === undefined || (mechanism !== "none" && mechanism !== "anonymous")) return;
  for (const { name: field, nameSpan, isGiven } of [login.user, login.password])
    if (nameSpan !== undefined && isGiven) report("GW4174", nameSpan, { field, mechanism });
}

const authorizations = ["oauth", "oauth2", "basic_auth", "jwt"] as const;
const requestOptions = optionsNamed([], [...authorizations, "headers", "drop_on", "backoff_on"]);

/** Reports the second setting in a component that sets `Authorization`, and retries of statuses that are not retried. */
export function checkRequests(component: ComponentNode, report: Report): void {
  const options = requestOptions(component);
  if (options === undefined) return;
  const dropped = statusesOf(options.drop_on);
  for (const [status, { span }] of statusesOf(options.backoff_on)) {
    const drop = dropped.get(status);
    if (drop === undefined) continue;
    const message = `\`backoff_on\` has no effect on ${status}, which \`drop_on\` lists, too.`;
    const hint = "Remove it from one of the two lists.";
    const related = { span: drop.span, message: "It is listed here." };
    report("GW4413", span, { component: component.name, message, hint }, related);
  }
  const setting = [
    ...authorizations.flatMap((name) => writtenIfOn(options[name])),
    ...(options.headers?.fields.filter((header) => header.name.toLowerCase() === "authorization") ?? []),
  ].sort((a, b) => a.nameSpan.start - b.nameSpan.start);
  const [first, second] = setting;
  if (first === undefined || second === undefined) return;
  const related = { span: first.nameSpan, message: `\`${first.name}\` is here.` };
  report("GW4191", second.nameSpan, { first: first.name, second: second.name }, related);
}

/** Returns the statuses of a list. Those from the environment are not known yet. */
function statusesOf(list: Option | undefined): ReadonlyMap<number, FieldNode> {
  return new Map(
    list?.items.flatMap((item) =>
      item.kind === "Literal" && typeof item.value === "number" ? [[item.value, item] as const] : [],
    ),
  );
}

/** A switch that is decided when the gateway starts counts as off: only then is it known which blocks are on. */
function writtenIfOn(block: Option | undefined) {
  const isOn = block !== undefined && enabledOf(block)?.isTrue === true;
  return isOn && block.written !== undefined ? [block.written] : [];
}
