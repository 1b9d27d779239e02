// Rules about names that the author of a document chooses.

import { coreCatalogue } from "../../../../schemas/catalogue.ts";
import { descriptorOf } from "../../../../schemas/component.ts";
import { mentionsEnvironment } from "../../../../schemas/environment-reference.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findSlip, nearest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, endsOf, labelOf } from "../../../model/components.ts";
import { optionsNamed } from "../../../model/options.ts";
import type { SetModel } from "../../../model/set.ts";
import { once, type WrittenText } from "../../../model/written.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";
import type { MappingNode } from "../../../trees/mapping.ts";
import { walk } from "../../../trees/walk.ts";
import { metadataReads, scriptsOf } from "./sent-credentials.ts";

/** Reports a label that contains an interpolation or an environment variable. */
export function checkLabel({ node }: ComponentNode, report: Report): void {
  const label = labelOf(node);
  if (label === undefined) return;
  if (label.text.includes("${!")) report("GW4021", label.span, { field: "label" });
  // In a label `${{` is not an escape, because a label has nothing to escape.
  else if (mentionsEnvironment(label.text.replaceAll("${{", "")))
    report("GW4026", label.span, { field: "label" });
}

/**
 * Reports each label that an earlier component of the stream has. A label that is repeated by a reference counts once.
 */
export function checkLabels({ streams }: ApiModel, report: Report): void {
  for (const stream of streams) {
    const earlier = new Map<string, WrittenText>();
    for (const { node } of componentsOf(stream)) {
      const label = labelOf(node);
      if (label === undefined || label.text === "") continue;
      const { text } = label;
      const other = earlier.get(text);
      if (other === undefined) earlier.set(text, label);
      else if (!isSamePlace(label, other)) {
        const related = { span: other.span, message: "The other one is here." };
        report("GW4130", label.span, { label: text, stream: stream.name }, related);
      }
    }
  }
}

function isSamePlace({ span: one }: WrittenText, { span: other }: WrittenText): boolean {
  return one.source === other.source && one.start === other.start;
}

/** Reports each stream whose id an earlier stream of the API has. */
export function checkStreamNames({ streams }: ApiModel, report: Report): void {
  const earlier = new Map<string, StreamNode>();
  for (const stream of streams) {
    const id = streamId(stream.name);
    const other = earlier.get(id);
    if (other === undefined) earlier.set(id, stream);
    else {
      const related = { span: other.nameSpan, message: `\`${other.name}\` is here.` };
      report("GW4039", stream.nameSpan, { first: other.name, second: stream.name, id }, related);
    }
  }
}

/** Returns the id of a stream in logs, metrics and addresses, which ignores case and punctuation. */
function streamId(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_");
}

const metricOptions = optionsNamed(["name"]);

/** Reports metric names that the gateway's own metrics already use, if the Prometheus exporter is on. */
export function checkMetricNames({ process, served }: SetModel, report: Report): void {
  const exporter = process.exporters.prometheus;
  if (exporter === undefined || exporter.isOff) return;
  for (const component of served.flatMap(({ streams }) => streams).flatMap(componentsOf)) {
    if (component.role !== "processor") continue;
    if (descriptorOf("processor", component)?.definesMetric !== true) continue;
    const option = metricOptions(component)?.name;
    const [name, value] = [option?.text, option?.value];
    if (value !== undefined && name?.startsWith("sluice_")) report("GW4243", value.span, { name });
  }
}

/** A name of metadata in a script. */
interface MetadataName {
  readonly text: string;
  readonly span: Span;
  readonly script: MappingNode;
}

/**
 * Reports metadata that a stream sets and never reads, if its name is one slip away from a name that the stream reads
 * and that occurs more often. Two names that one script sets are different names.
 */
export function checkMetadataNames(stream: StreamNode, _api: ApiModel, report: Report): void {
  const scripts = scriptsOf(stream);
  const written = scripts.flatMap((script) =>
    script.span.source.text.includes("meta ") ? metadataSetBy(script) : [],
  );
  if (written.length === 0) return;
  const reads = scripts.flatMap((script) => metadataReads(script));
  const read = new Map(reads.toReversed().map(({ name, node }) => [name, node.span]));
  // All metadata is read at once, or the names that a file reads are not known here.
  if (read.has(undefined) || scripts.some(readsFiles)) return;
  const names = [...read.keys()].filter((name) => name !== undefined);
  for (const [script, own] of Map.groupBy(written, (each) => each.script)) {
    const together = new Set(own.map(({ text }) => text));
    const count = countWords(script.span);
    const isMeant = (text: string, name: string) =>
      !together.has(name) && !isOtherWord(text, name) && (count.get(text) ?? 0) < (count.get(name) ?? 0);
    for (const { text, span } of own) {
      if (read.has(text)) continue;
      const closest = findSlip(text, names, (name) => isMeant(text, name));
      const at = read.get(closest);
      if (closest === undefined || at === undefined) continue;
      const related = { span: at, message: `\`${closest}\` is read here.` };
      report("GW3137", span, { key: text, closest, respelling: "unsure" }, related);
    }
  }
}

/** The inputs of this package that set metadata, by its name. Aliases of an input set the same. */
const ownersOfMetadata = once(() => {
  const owners = new Map<string, string>();
  for (const { name, schema } of coreCatalogue.all("input")) {
    // Other names, such as `path`, are also those of parameters.
    const own = `${name.split("_", 1)[0]}_`;
    for (const key of Object.keys(schema["x-metadata"] ?? {}))
      if (key.startsWith(own) && !owners.has(key)) owners.set(key, name);
  }
  return owners;
});

/**
 * Reports reads of metadata that only an input of another kind sets, if the messages of the stream's own inputs carry
 * no metadata of their senders.
 */
export function checkMetadataOwners(stream: StreamNode, _api: ApiModel, report: Report): void {
  const inputs = endsOf(stream, "input");
  const isKnown = inputs.every(({ descriptor }) => descriptor?.schema["x-sole-metadata"] === true);
  if (inputs.length === 0 || !isKnown) return;
  const scripts = scriptsOf(stream);
  const own = new Set(
    inputs.flatMap(({ descriptor }) => Object.keys(descriptor?.schema["x-metadata"] ?? {})),
  );
  const foreign = scripts.flatMap(metadataReads).filter(({ name }) => {
    return name !== undefined && !own.has(name) && ownersOfMetadata().has(name);
  });
  if (foreign.length === 0 || scripts.some(readsFiles)) return;
  const written = new Set(scripts.flatMap(metadataSetBy).map(({ text }) => text));
  for (const { name: key = "", node } of foreign) {
    if (written.has(key) || hasFallback(node.span)) continue;
    const part = key.slice(key.indexOf("_"));
    const closest = [...own].find((each) => each.endsWith(part));
    const read = [...new Set(inputs.map(({ name }) => name))];
    report("GW3140", node.span, { key, owner: ownersOfMetadata().get(key) ?? "", read, closest });
  }
}

function servesReplies({ descriptor }: ComponentNode): boolean {
  return Object.values(descriptor?.schema.properties ?? {}).some((each) => each["x-replies"] === true);
}

/** Reports a status that a mapping sets as metadata, if neither the reply nor anything else reads it. */
export function checkStatusOfReplies(stream: StreamNode, _api: ApiModel, report: Report): void {
  if (!endsOf(stream, "input").some((input) => servesReplies(input))) return;
  const scripts = scriptsOf(stream);
  const status = scripts.flatMap(metadataSetBy).find(({ text }) => text === "http_status_code");
  if (status === undefined || scripts.some(readsFiles)) return;
  const isRead = scripts
    .flatMap(metadataReads)
    .some(({ name }) => name === undefined || name === status.text);
  if (!isRead) report("GW3142", status.span, {});
}

/** Whether the author expects that a value may be missing. */
function hasFallback({ source, end }: Span): boolean {
  return /^\s*(?:\||\.(?:or|catch)\(|[!=]= *null\b)/.test(source.text.slice(end, end + 40));
}

function metadataSetBy(script: MappingNode): readonly MetadataName[] {
  const found: MetadataName[] = [];
  walk(script, {
    MetaAssign({ key }) {
      if (key !== undefined) found.push({ text: key.text, span: key.span, script });
    },
  });
  return found;
}

function readsFiles(script: MappingNode): boolean {
  let isFound = false;
  const find = () => {
    isFound = true;
  };
  walk(script, { Import: find, Mapping: ({ from }) => (from === undefined ? undefined : find()) });
  return isFound;
}

/** Whether a slip makes another word of a name, as plurals and other letters do: `state` and `stage`. */
function isOtherWord(name: string, meant: string): boolean {
  if (name === `${meant}s` || meant === `${name}s`) return true;
  return name.length === meant.length && [...name].toSorted().join() !== [...meant].toSorted().join();
}

/** The number of times that each word occurs in a file, because many names may be looked for in a large one. */
const wordCounts = new WeakMap<Span["source"]["file"], ReadonlyMap<string, number>>();

function countWords({ source: { file } }: Span): ReadonlyMap<string, number> {
  const known = wordCounts.get(file);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  for (const word of file.text.split(/[^\p{L}\p{N}_-]+/u)) counts.set(word, (counts.get(word) ?? 0) + 1);
  wordCounts.set(file, counts);
  return counts;
}

/** One end of a channel. */
interface End {
  readonly stream: StreamNode;
  readonly channel: string;
  readonly span: Span;
}

/** Reports ends of channels without an opposite end, and outputs whose messages return to their own stream. */
export function checkChannels({ served }: Pick<SetModel, "served">, report: Report): void {
  const streams = served.flatMap((api) => api.streams);
  const writers = streams.flatMap((stream) => channelEnds(stream, "output"));
  const readers = streams.flatMap((stream) => channelEnds(stream, "input"));
  const leadsBack = createSearch(writers, readers);
  const near = nearlyNamed(writers, readers);
  for (const { span, channel, closest } of near.values())
    report("GW4124", span, { channel, closest, respelling: "sure" });
  for (const { stream, channel, span } of writers) {
    if (near.has(channel)) continue;
    if (!readers.some((reader) => reader.channel === channel)) report("GW4123", span, { channel });
    else if (leadsBack(channel, stream)) report("GW4126", span, { channel });
  }
  const misspelt = new Set(Array.from(near.values(), ({ channel }) => channel));
  for (const { channel, span } of readers) {
    if (!misspelt.has(channel) && !writers.some((writer) => writer.channel === channel))
      report("GW4124", span, { channel });
  }
}

/**
 * Returns the written channels without a reader, each with the only read channel without a writer that has a similar
 * name.
 */
function nearlyNamed(writers: readonly End[], readers: readonly End[]) {
  const written = new Set(writers.map(({ channel }) => channel));
  const read = new Set(readers.map(({ channel }) => channel));
  const unread = [...written].filter((channel) => !read.has(channel));
  const pairs = readers.flatMap((reader) => {
    if (written.has(reader.channel)) return [];
    const { closest } = nearest(reader.channel, unread);
    return closest === undefined ? [] : [[closest, { ...reader, closest }] as const];
  });
  return new Map(pairs);
}

function channelEnds(stream: StreamNode, role: ComponentNode["role"]): readonly End[] {
  return componentsOf(stream).flatMap((component): readonly End[] => {
    const isEnd = component.role === role && component.descriptor?.isChannel === true;
    const channel = isEnd ? literalText(component.config) : undefined;
    return channel === undefined ? [] : [{ stream, channel, span: component.config.span }];
  });
}

/** Returns a function that checks whether messages written to a channel can reach `target`. */
function createSearch(writers: readonly End[], readers: readonly End[]) {
  return (channel: string, target: StreamNode): boolean => {
    const seen = new Set<string>();
    const pending = [channel];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const reached = readers.filter((reader) => reader.channel === next).map(({ stream }) => stream);
      if (reached.includes(target)) return true;
      pending.push(...writers.filter(({ stream }) => reached.includes(stream)).map((end) => end.channel));
    }
    return false;
  };
}
