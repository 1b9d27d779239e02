// Credentials that a mapping writes into what is sent: the content, or metadata under another name.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { endsOf, servesClients } from "../../../model/components.ts";
import type { StreamNode } from "../../../trees/api.ts";
import type { Assign, Mapping, MetaAssign } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";
import { credentialsOf, isLeftOut } from "../credentials.ts";
import { copiesIn, type MetadataRead } from "../metadata-reads.ts";
import { pipelineMappings } from "../pipeline-mappings.ts";

/** Reports each read of a credential whose text ends up in messages. */
export function checkCredentialCopies(stream: StreamNode, api: ApiModel, report: Report): void {
  const mappings = pipelineMappings(stream);
  if (mappings.length === 0) return;
  const isCredential = credentialTest(stream, api);
  for (const mapping of mappings) checkMapping(mapping, stream, isCredential, report);
}

/** The name of the credential a read gives, if it gives one. */
type CredentialTest = (read: MetadataRead) => string | undefined;

/**
 * Of requests it is what their security schemes describe. Messages of brokers carry whatever headers they
 * were sent with, `Authorization` among them.
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
  /** What variables hold that were set from a credential. */
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
    // A credential under its own name is what `credentials-sent` is about.
    MetaAssign: (statement) => (statement.key === undefined ? undefined : check(statement)),
  });
}

/** The output that sends what a statement writes. */
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
