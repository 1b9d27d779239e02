// Keys of callers on their way to a broker: metadata become record headers, which others read.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { endsOf, writtenValue } from "../../../model/components.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { findNode } from "../../../trees/document.ts";
import type { Mapping } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";
import { credentialsOf } from "../credentials.ts";
import { pipelineMappings } from "../pipeline-mappings.ts";

/** Reports outputs that send the credentials of requests along, unless a mapping takes them off. */
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

/** Whether metadata go along with what an output sends. */
function sendsMetadata({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema["x-sends-metadata"] === true;
}

/** `metadata.exclude_prefixes` */
function excludes(output: ComponentNode, name: string): boolean {
  const prefixes = findNode(writtenValue(output), "metadata", "exclude_prefixes");
  if (prefixes?.kind !== "list") return false;
  return prefixes.items.some((item) => item.kind === "scalar" && name.startsWith(String(item.value)));
}

/** Whether a mapping removes that metadata, or puts all of it anew. */
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
