// Rules about environment variables and files that documents read: never those of the gateway itself, and, in documents
// of an organisation, only those that the organisation may read.

import { documentSchemas } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, declaredApart } from "../../../model/components.ts";
import { type OptionBlock, optionsNamed } from "../../../model/options.ts";
import type { Span } from "../../../source/source.ts";
import type { EnvironmentPart, FieldNode } from "../../../trees/api.ts";
import { fieldsOf, findNamedField, literalText, writtenBeginning } from "../../../trees/fields.ts";
import type { QueryPart } from "../../../trees/mapping.ts";
import { checkFile, checkVariable, type Tenant } from "../tenant.ts";
import { type SchemedValue, valuesWithin } from "../values.ts";
import { textWithHoles } from "../written-text.ts";

/** The variable with the token for requests to a portal at another address. */
const portalToken = "GW_PORTAL_TOKEN";

/** Reports variables and files that a document reads but may not read. Scripts are checked with their calls. */
export function checkSurroundings(api: ApiModel, tenant: Tenant | undefined, report: Report): void {
  for (const field of fieldsOf({ apis: [api] })) {
    const parts = field.kind === "Environment" || field.kind === "Template" ? field.parts : [];
    for (const part of parts) checkPart(part, tenant, report);
  }
  if (tenant === undefined) return;
  for (const whole of wholesOf(api)) {
    checkSocket(whole, tenant, report);
    checkDatabaseFile(whole, tenant, report);
    for (const value of valuesWithin(whole)) checkValue(value, tenant, report);
  }
}

function checkPart(part: EnvironmentPart | QueryPart, tenant: Tenant | undefined, report: Report): void {
  if (part.kind === "Variable") checkVariable(part.name, part.span, tenant, report);
  if (part.kind === "File" && tenant !== undefined) checkFile(part.path, part.span, tenant, report);
}

/** Returns the values that have a schema: those of the components, and those of the gateway part. */
function wholesOf({ streams, gatewayFields }: ApiModel): readonly SchemedValue[] {
  const components = streams.flatMap((stream) => [...componentsOf(stream), ...declaredApart(stream)]);
  const wholes = components.flatMap(({ name, nameSpan, config: value, descriptor }) => {
    const schema = descriptor?.schema;
    return schema === undefined ? [] : [{ name, nameSpan, value, schema }];
  });
  if (gatewayFields === undefined) return wholes;
  const schema = documentSchemas.apiGateway;
  const own = { name: "x-gw-api-gateway", nameSpan: gatewayFields.span, value: gatewayFields, schema };
  return [...wholes, own];
}

function checkValue(place: SchemedValue, tenant: Tenant, report: Report): void {
  const { name, value, schema } = place;
  checkSharedNames(place, tenant, report);
  // A portal at another address would receive the gateway's own token.
  if (name === "portal_url") checkVariable(portalToken, value.span, tenant, report);
  if (name === "dsn" || name === "data_source_name")
    for (const path of filesOfDatabase(textWithHoles(value)?.join("") ?? ""))
      checkFile(path, value.span, tenant, report);
  if (schema["x-file"] !== true || value.kind === "List") return;
  const path = writtenPath(value);
  if (path !== "") checkFile(path, value.span, tenant, report);
}

const socketOptions = optionsNamed(["network", "address"]);
const databaseOptions = optionsNamed([], ["dsn", "data_source_name"]);

/** Reports a Unix socket, which is a file: a service of the machine listens at it that no network reaches. */
function checkSocket(config: OptionBlock, tenant: Tenant, report: Report): void {
  const options = socketOptions(config);
  const address = options?.address.value;
  if (address !== undefined && options?.network.text === "unix")
    checkFile(writtenPath(address), address.span, tenant, report);
}

/** Reports the file of a database whose driver reads files: its address is their path. */
function checkDatabaseFile(whole: SchemedValue, tenant: Tenant, report: Report): void {
  const { dsn, data_source_name: name } = databaseOptions(whole) ?? {};
  const address = dsn?.value ?? name?.value;
  if (address === undefined) return;
  const readsFiles = [...valuesWithin(whole)].some(
    ({ value, schema }) => schema["x-unsafe-values"]?.[literalText(value) ?? ""] !== undefined,
  );
  const [path = ""] = writtenPath(address)
    .replace(/^file:(?:\/\/(?=\/))?/, "")
    .split("?");
  if (readsFiles && path !== ":memory:") checkFile(path, address.span, tenant, report);
}

/** Yields the Unix socket and the files of certificates that the address of a PostgreSQL server names. */
function* filesOfDatabase(dsn: string): Iterable<string> {
  // URL parsers ignore these characters.
  const text = dsn.replaceAll(/[\t\r\n]/g, "");
  const [, authority = "", query = ""] = /^[a-z]+:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  // The driver decodes both in the same way.
  const named = new URLSearchParams(`${query}&host=${host.replaceAll("+", "%2B")}`);
  for (const [name, value] of named) {
    const isFile = name === "host" ? value.startsWith("/") : /^ssl(?:rootcert|cert|key)$/.test(name);
    if (isFile && value !== "") yield value;
  }
}

/** Returns the path; a path that is not a literal could be any, so its stand-in is not an absolute path. */
function writtenPath(value: FieldNode): string {
  return value.kind === "Literal" ? String(value.value ?? "") : "${…}";
}

/** A name as far as it is written. */
interface SharedName {
  readonly text: string;
  /** Whether more text follows that is known later: a value of the environment, or the rest of a key. */
  readonly isOpen: boolean;
}

/** Reports names in a value that do not begin with a prefix of the organisation. */
function checkSharedNames(place: SchemedValue, tenant: Tenant, report: Report): void {
  const { name: field, nameSpan, value, schema } = place;
  const missing = missingBeginning(place);
  if (missing !== undefined) checkMissing(missing, nameSpan, tenant, report);
  else if (schema["x-shared-name"] === "beginning" && !isGiven(value))
    checkMissing(field, value.span, tenant, report);
  else for (const name of namesOf(place)) checkName(name, field, value.span, tenant, report);
}

/** Returns the field that the keys of a component begin with, if the field is missing. */
function missingBeginning({ value, schema: { properties = {} } }: SchemedValue): string | undefined {
  if (value.kind !== "Object") return undefined;
  const beginning = Object.keys(properties).find(
    (name) => properties[name]?.["x-shared-name"] === "beginning",
  );
  return beginning !== undefined && findNamedField(value, beginning) === undefined ? beginning : undefined;
}

function checkMissing(field: string, span: Span, tenant: Tenant, report: Report): void {
  const { groups, groupsOfOthers = [], organisation } = tenant;
  if (groups !== undefined || groupsOfOthers.length > 0) report("GW4336", span, { field, organisation });
}

/** Checks the owner of a name: the longest matching prefix decides. */
function checkName(
  { text, isOpen }: SharedName,
  field: string,
  span: Span,
  { groups, groupsOfOthers = [], organisation }: Tenant,
  report: Report,
): void {
  const own = groups?.filter((prefix) => text.startsWith(prefix));
  const mayBeginWith = (prefix: string) => text.startsWith(prefix) || (isOpen && prefix.startsWith(text));
  if (own?.length === 0) report("GW4334", span, { field, organisation, prefixes: groups ?? [] });
  else if (
    groupsOfOthers.some(
      (prefix) => mayBeginWith(prefix) && own?.some(({ length }) => length >= prefix.length) !== true,
    )
  )
    report("GW4337", span, { field, organisation });
}

function namesOf({ value, schema }: SchemedValue): readonly SharedName[] {
  const { "x-format": form, "x-shared-name": shared } = schema;
  if (value.kind === "List" || value.kind === "Object" || !isGiven(value)) return [];
  const text = writtenBeginning(value);
  const isOpen = shared === "beginning" || value.kind !== "Literal";
  if (shared !== undefined && form === "amqp-node")
    return queuesOf(text).map((name) => ({ text: name, isOpen }));
  if (shared !== undefined) return [{ text, isOpen }];
  if (form === "mqtt-filter") return sharedGroups(value);
  const bucket = bucketOf(form, text);
  return bucket === undefined ? [] : [{ text: bucket, isOpen }];
}

/** Whether a value is given; an empty text counts as absent. */
function isGiven(value: FieldNode): boolean {
  return value.kind !== "Literal" || (value.value !== "" && value.value !== null);
}

function partsOf(value: FieldNode): readonly (EnvironmentPart | QueryPart)[] {
  return value.kind === "Environment" || value.kind === "Template" ? value.parts : [];
}

/** Prefixes of queue addresses in AMQP 1.0: RabbitMQ 4, RabbitMQ 3, ActiveMQ, Artemis. */
const queueForms = /^(?:\/queues\/|\/queue\/|\/amq\/queue\/|queue:\/\/|jms\.queue\.)/;

/** Prefixes of addresses for which a broker creates a queue for this reader only. */
const ownQueueForms = /^(?:\/exchanges\/|\/exchange\/|\/topic\/|topic:\/\/|jms\.topic\.)/;

/**
 * Returns the queues that an AMQP 1.0 address reads: `orders` for `/queues/orders`, for `address::orders` of Artemis,
 * and for `topic/Subscriptions/orders` of Azure Service Bus. RabbitMQ 4 decodes `%6f`; ActiveMQ accepts several
 * separated by commas.
 */
function queuesOf(address: string): readonly string[] {
  return address.split(",").flatMap((each) => {
    const named = /::(.*)$|\/subscriptions\/(.*)$/i.exec(each);
    const queue = named?.[1] ?? named?.[2];
    if (queue === undefined && ownQueueForms.test(each)) return [];
    const written = queue ?? each.replace(queueForms, "");
    return [...new Set([written, decoded(written)])];
  });
}

function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString(),
  );
}

/** Returns the key-value bucket that a subject or stream of NATS belongs to. */
function bucketOf(form: string | undefined, text: string): string | undefined {
  if (form === "nats-name" && text.startsWith("KV_")) return text.slice("KV_".length);
  const isSubject = form === "nats-subject" || form === "nats-filter";
  return isSubject && text.startsWith("$KV.") ? text.slice("$KV.".length) : undefined;
}

/**
 * Returns the groups of shared subscriptions (`$share/GROUP/FILTER`) in a list of topics, as far as they are written.
 */
function sharedGroups(value: FieldNode): readonly SharedName[] {
  const prefix = "$share/";
  const whole =
    value.kind === "Literal" ? String(value.value ?? "") : partsOf(value).map(textOfPart).join("");
  const shared = whole
    .split(",")
    .map((topic) => topic.trimStart())
    .filter((topic) => topic.startsWith(prefix));
  if (value.kind === "Literal")
    return shared.map((topic) => ({ text: topic.slice(prefix.length), isOpen: false }));
  // A group from a variable could be any, even if its default is known.
  const text = writtenBeginning(value).trimStart().slice(prefix.length);
  return shared.length === 0 ? [] : [{ text, isOpen: true }];
}

function textOfPart(part: EnvironmentPart | QueryPart): string {
  if (part.kind === "Text") return part.text;
  return part.kind === "Variable" ? String(part.fallback ?? "") : "";
}
