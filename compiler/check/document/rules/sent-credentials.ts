// Rules about credentials of callers that would leave the gateway with messages.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { endsOf, servesClients } from "../../../model/components.ts";
import { optionsNamed } from "../../../model/options.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { fieldsOfStream } from "../../../trees/fields.ts";
import type {
  Assign,
  Expression,
  FunctionCall,
  Mapping,
  MappingNode,
  MetaAssign,
  MetadataExpression,
} from "../../../trees/mapping.ts";
import { childrenOf, walk } from "../../../trees/walk.ts";
import { credentialsOf, isLeftOut, pipelineMappings } from "../credentials.ts";

/** Reports outputs that send the credentials of requests, unless a mapping removes them. */
export function checkCredentialsSent(stream: StreamNode, api: ApiModel, report: Report): void {
  const outputs = endsOf(stream, "output").filter(sendsMetadata);
  if (outputs.length === 0) return;
  const mappings = pipelineMappings(stream);
  for (const { name, scheme, span } of credentialsOf(stream, api)) {
    if (mappings.some((mapping) => takesOff(mapping, name))) continue;
    const related = { span, message: `\`${scheme}\` is described here.` };
    for (const output of outputs.filter((each) => !excludes(each, name)))
      report("GW4055", output.nameSpan, { credential: name, scheme, output: output.name }, related);
  }
}

/** Whether an output sends the metadata of messages. */
function sendsMetadata({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema["x-sends-metadata"] === true;
}

const senderOptions = optionsNamed(["metadata"]);
const filterOptions = optionsNamed(["exclude_prefixes"]);

/** Whether `metadata.exclude_prefixes` of an output excludes a name. */
function excludes(output: ComponentNode, name: string): boolean {
  const sender = senderOptions(output);
  const prefixes = sender && filterOptions(sender.metadata)?.exclude_prefixes.items;
  return prefixes?.some((item) => item.kind === "Literal" && name.startsWith(String(item.value))) === true;
}

/** Whether a mapping deletes that metadata, or replaces all metadata. */
function takesOff(mapping: Mapping, name: string): boolean {
  let isTaken = false;
  walk(mapping, {
    MetaAssign({ key, value }) {
      const isDeleted = value.kind === "FunctionCall" && value.name.text === "deleted";
      if (key === undefined ? isDeleted || value.kind === "ObjectLiteral" : isDeleted && key.text === name)
        isTaken = true;
    },
  });
  return isTaken;
}

/** Reports reads of `Authorization` and similar headers in streams whose messages all come from requests. */
export function checkCredentialHeaders(stream: StreamNode, _api: ApiModel, report: Report): void {
  const inputs = endsOf(stream, "input");
  if (inputs.length === 0 || !inputs.every(servesClients)) return;
  const scripts = scriptsOf(stream);
  const reads = scripts.flatMap(metadataReads).filter(({ name }) => name !== undefined && isLeftOut(name));
  if (reads.length === 0) return;
  const written = new Set(scripts.flatMap(writtenNames));
  for (const { node, name } of reads)
    if (name !== undefined && !written.has(name)) report("GW4057", node.span, { header: name });
}

/** Returns the mappings, the queries and the dynamic texts of a stream. */
export function scriptsOf(stream: StreamNode): readonly MappingNode[] {
  return fieldsOfStream(stream).flatMap((field): readonly MappingNode[] => {
    if (field.kind === "Mapping") return [field.mapping];
    if (field.kind === "Query") return [field.query];
    return field.kind === "Template" ? [field.template] : [];
  });
}

/** Returns the names of metadata that a script itself sets. */
function writtenNames(script: MappingNode): readonly string[] {
  const names: string[] = [];
  walk(script, {
    MetaAssign({ key }) {
      if (key !== undefined) names.push(key.text);
    },
  });
  return names;
}

/** Reports each read of a credential whose text ends up in messages. */
export function checkCredentialCopies(stream: StreamNode, api: ApiModel, report: Report): void {
  // Most scripts do not read metadata.
  const mappings = pipelineMappings(stream).filter((mapping) => metadataReads(mapping).length > 0);
  if (mappings.length === 0) return;
  const isCredential = credentialTest(stream, api);
  for (const mapping of mappings) checkMapping(mapping, stream, isCredential, report);
}

/** Returns the name of the credential that a read returns, if any. */
type CredentialTest = (read: MetadataRead) => string | undefined;

/**
 * Returns a test for reads of credentials. In requests, the security schemes define the credentials. Messages of
 * brokers may carry any headers, including `Authorization`.
 */
function credentialTest(stream: StreamNode, api: ApiModel): CredentialTest {
  const names = credentialsOf(stream, api).map(({ name }) => name);
  const hasBroker = !endsOf(stream, "input").every(servesClients);
  return ({ name }) => {
    if (name === undefined) return names[0];
    return names.includes(name) || (hasBroker && isLeftOut(name)) ? name : undefined;
  };
}

function checkMapping(
  mapping: Mapping,
  stream: StreamNode,
  isCredential: CredentialTest,
  report: Report,
): void {
  // Most scripts read no credential, and tracing the sources of every expression takes long.
  if (!metadataReads(mapping).some((read) => isCredential(read) !== undefined)) return;
  /** The variables whose value comes from a credential. */
  const variables = new Map<string, MetadataRead>();
  const found = (value: Assign["value"]): readonly MetadataRead[] => {
    const copies = copiesIn(value);
    const held = copies.variables.flatMap((name) => variables.get(name) ?? []);
    return [...copies.reads.filter((read) => isCredential(read) !== undefined), ...held];
  };
  const check = (statement: Assign | MetaAssign) => {
    const output = receiverOf(statement, stream);
    if (output === undefined) return;
    for (const read of found(statement.value)) {
      const credential = isCredential(read) ?? "";
      report("GW4056", read.node.span, { credential, target: targetOf(statement), output });
    }
  };
  walk(mapping, {
    Let({ name, value }) {
      const [held] = found(value);
      if (held === undefined) variables.delete(name.text);
      else variables.set(name.text, held);
    },
    Assign: check,
    // A credential under its own name is reported by the `credentials-sent` rule.
    MetaAssign: (statement) => (statement.key === undefined ? undefined : check(statement)),
  });
}

/** Returns the name of the output that sends what a statement writes. */
function receiverOf(statement: Assign | MetaAssign, stream: StreamNode): string | undefined {
  const outputs = endsOf(stream, "output");
  const receivers =
    statement.kind === "Assign"
      ? outputs
      : outputs.filter(({ descriptor }) => descriptor?.schema["x-sends-metadata"] === true);
  return receivers[0]?.name;
}

function targetOf(statement: Assign | MetaAssign): string {
  if (statement.kind === "MetaAssign") return `metadata \`${statement.key?.text ?? ""}\``;
  return `\`${["root", ...statement.target.map(({ text }) => text)].join(".")}\``;
}

/** A read of metadata: of one name known now, or of all names. */
interface MetadataRead {
  readonly node: MetadataExpression | FunctionCall;
  /** `undefined` if all metadata is read. */
  readonly name: string | undefined;
}

/** Returns every read of metadata in a script, in source order. */
export function metadataReads(script: MappingNode): readonly MetadataRead[] {
  const found: MetadataRead[] = [];
  const visit = (node: MetadataExpression | FunctionCall) => {
    found.push(...readOf(node));
  };
  walk(script, { Metadata: visit, FunctionCall: visit });
  return found;
}

/** The sources of an expression's value: reads of metadata, and variables. */
interface Copies {
  readonly reads: readonly MetadataRead[];
  readonly variables: readonly string[];
}

/**
 * Returns the reads whose text becomes part of an expression's value, without those that are only compared or tested.
 */
function copiesIn(value: Expression): Copies {
  const reads: MetadataRead[] = [];
  const variables: string[] = [];
  const visit = (node: MappingNode): void => {
    if (node.kind === "Metadata" || node.kind === "FunctionCall") reads.push(...readOf(node));
    if (node.kind === "Variable") variables.push(node.name);
    for (const part of partsOf(node)) visit(part);
  };
  visit(value);
  return { reads, variables };
}

const readingFunctions: ReadonlySet<string> = new Set(["meta", "metadata"]);

/** Returns what a node itself reads: `@a`, `meta("a")`, `@`; an empty list if the name is not known now. */
function readOf(node: MetadataExpression | FunctionCall): readonly MetadataRead[] {
  if (node.kind === "Metadata") return [{ node, name: node.key?.text }];
  if (!readingFunctions.has(node.name.text)) return [];
  const [key] = node.args;
  if (key === undefined) return [{ node, name: undefined }];
  return key.value.kind === "StringLiteral" ? [{ node, name: key.value.value }] : [];
}

const comparing: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);

/** Methods whose result reveals something about a text but does not contain it. */
const revealing: ReadonlySet<string> = new Set([
  "contains",
  "exists",
  "has_prefix",
  "has_suffix",
  "hash",
  "length",
  "re_match",
  "type",
]);

/** Returns the parts of a node whose values become part of its own value. Conditions only choose between values. */
function partsOf(node: MappingNode): readonly MappingNode[] {
  switch (node.kind) {
    case "Binary":
      return comparing.has(node.operator) ? [] : [node.left, node.right];
    case "Not":
      return [];
    case "MethodCall":
      return revealing.has(node.name.text) ? [] : childrenOf(node);
    case "ExpressionBranch":
      return [node.value];
    case "MatchExpression":
      return node.cases.map((each) => each.value);
    default:
      return childrenOf(node);
  }
}
