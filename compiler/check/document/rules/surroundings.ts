// Environment variables and files that documents read: never those of the gateway itself, and of an organisation's
// documents only what the organisation may read.

import { documentSchemas } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, declaredApart } from "../../../model/components.ts";
import type { Span } from "../../../source/source.ts";
import type { EnvironmentPart, FieldNode } from "../../../trees/api.ts";
import { fieldsOf, findNamedField, writtenBeginning } from "../../../trees/fields.ts";
import type { QueryPart } from "../../../trees/mapping.ts";
import { checkFile, checkVariable, type Tenant } from "../tenant.ts";
import { type SchemedValue, valuesWithin } from "../values.ts";

/** The variable that a portal elsewhere is asked with. */
const portalToken = "GW_PORTAL_TOKEN";

/** Reports what a document reads of its surroundings and may not. Scripts are checked with their calls. */
export function checkSurroundings(api: ApiModel, tenant: Tenant | undefined, report: Report): void {
  for (const field of fieldsOf({ apis: [api] })) {
    const parts = field.kind === "Environment" || field.kind === "Template" ? field.parts : [];
    for (const part of parts) checkPart(part, tenant, report);
  }
  if (tenant === undefined) return;
  for (const whole of wholesOf(api)) {
    for (const value of valuesWithin(whole)) checkValue(value, tenant, report);
  }
}

function checkPart(part: EnvironmentPart | QueryPart, tenant: Tenant | undefined, report: Report): void {
  if (part.kind === "Variable") checkVariable(part.name, part.span, tenant, report);
  if (part.kind === "File" && tenant !== undefined) checkFile(part.path, part.span, tenant, report);
}

/** Values read by a schema: those of the components, and those of the gateway part. */
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
  // A portal elsewhere would be shown the gateway's own token.
  if (name === "portal_url") checkVariable(portalToken, value.span, tenant, report);
  if (schema["x-file"] !== true || value.kind === "List") return;
  const path = writtenPath(value);
  if (path !== "") checkFile(path, value.span, tenant, report);
}

/** A path that is not written out could be any: what stands for it is not an absolute path. */
function writtenPath(value: FieldNode): string {
  return value.kind === "Literal" ? String(value.value ?? "") : "${…}";
}

/** A name as far as it is written. */
interface SharedName {
  readonly text: string;
  /** Whether more follows that is known later: a value of the environment, or the rest of a key. */
  readonly isOpen: boolean;
}

/** Reports names in a value that do not begin as those of the organisation do. */
function checkSharedNames(place: SchemedValue, tenant: Tenant, report: Report): void {
  const { name: field, nameSpan, value, schema } = place;
  const missing = missingBeginning(place);
  if (missing !== undefined) checkMissing(missing, nameSpan, tenant, report);
  else if (schema["x-shared-name"] === "beginning" && !isGiven(value))
    checkMissing(field, value.span, tenant, report);
  else for (const name of namesOf(place)) checkName(name, field, value.span, tenant, report);
}

/** The field of a component that its keys begin with, where it is not there. */
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

/** The longest prefix says whose a name is. */
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

/** An empty text counts as not given. */
function isGiven(value: FieldNode): boolean {
  return value.kind !== "Literal" || (value.value !== "" && value.value !== null);
}

function partsOf(value: FieldNode): readonly (EnvironmentPart | QueryPart)[] {
  return value.kind === "Environment" || value.kind === "Template" ? value.parts : [];
}

/** How brokers of AMQP 1.0 write that a queue follows: RabbitMQ 4, RabbitMQ 3, ActiveMQ, Artemis. */
const queueForms = /^(?:\/queues\/|\/queue\/|\/amq\/queue\/|queue:\/\/|jms\.queue\.)/;

/** Addresses for which a broker makes a queue that no other reader has. */
const ownQueueForms = /^(?:\/exchanges\/|\/exchange\/|\/topic\/|topic:\/\/|jms\.topic\.)/;

/**
 * The queues that an address of AMQP 1.0 reads: `/queues/orders` reads `orders`, `address::orders` of Artemis, and
 * `topic/Subscriptions/orders` of Azure Service Bus too. RabbitMQ 4 decodes `%6f`; ActiveMQ reads several with commas between.
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

/** The bucket of a subject or stream that NATS keeps the values of a bucket in. */
function bucketOf(form: string | undefined, text: string): string | undefined {
  if (form === "nats-name" && text.startsWith("KV_")) return text.slice("KV_".length);
  const isSubject = form === "nats-subject" || form === "nats-filter";
  return isSubject && text.startsWith("$KV.") ? text.slice("$KV.".length) : undefined;
}

/** The groups of shared subscriptions (`$share/GROUP/FILTER`) of a list of topics, as far as they are written in front. */
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
  // A group that a variable gives could be any, also where only its default is known.
  const text = writtenBeginning(value).trimStart().slice(prefix.length);
  return shared.length === 0 ? [] : [{ text, isOpen: true }];
}

function textOfPart(part: EnvironmentPart | QueryPart): string {
  if (part.kind === "Text") return part.text;
  return part.kind === "Variable" ? String(part.fallback ?? "") : "";
}
