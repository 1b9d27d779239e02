// Emits one API as code: its listen path, its upstream and the factories of its streams.

import { asksForSource } from "../plan/failure-sources.ts";
import type {
  ApiPlan,
  ComponentPlan,
  ObjectPlan,
  ProtectionPlan,
  ResourcePlan,
  RuntimeLink,
  StreamPlan,
  ValuePlan,
  VersionsPlan,
} from "../plan/plan.ts";
import { block, type Code, call, code, linkTo, list, literal, propertyKey, raw } from "./code.ts";
import {
  apiCorsLink,
  leasedInputLink,
  perRequestLink,
  sharingLink,
  upstreamLink,
  versionLinks,
} from "./links.ts";
import { emitVariablePlaces } from "./manifest.ts";
import type { StepTypes } from "./mapping/parameters.ts";
import { resourcesName } from "./names.ts";
import { protectionLinks } from "./protection-links.ts";
import type { Scripts } from "./scripts.ts";
import { citing, emitResources, entries } from "./shared-resources.ts";
import { emitComponent, emitValue, readsEnvironment, type ValueContext } from "./value.ts";

/** Returns the definition of an API. Adds the functions of its scripts to `scripts`. */
export function emitApi(api: ApiPlan, scripts: Scripts): Code {
  const context: ValueContext = { scripts, names: [api.id], path: "", file: api.file };
  const streams = api.streams.map((stream) =>
    citing(stream.origin, undefined, emitStream(stream, { api: api.id, context })),
  );
  const variables = emitVariablePlaces(api);
  const spread = api.streams.filter((stream) => stream.spread).map(({ name }) => name);
  return entries([
    code`id: ${api.id}`,
    ...(api.name === undefined ? [] : [code`name: ${api.name}`]),
    code`listenPath: ${api.listenPath}`,
    ...(variables === undefined ? [] : [code`variables: ${variables}`]),
    ...(api.logged ? [code`logged: true`] : []),
    ...(api.host === undefined ? [] : [code`host: ${emitSetting(api.host, context)}`]),
    ...(api.internal === true ? [code`internal: true`] : []),
    ...(api.versions === undefined ? [] : [emitVersions(api.versions, context)]),
    ...(api.upstream === undefined ? [] : [code`upstream: ${emitMade(upstreamLink, api.upstream, context)}`]),
    ...(api.cors === undefined ? [] : [code`cors: ${emitMade(apiCorsLink, api.cors, context)}`]),
    ...(api.protections.length === 0 ? [] : [emitProtections(api.protections, context)]),
    ...(spread.length === 0 ? [] : [code`spread: ${spread}`]),
    code`streams: ${streams.length === 0 ? raw("{}") : entries(streams)}`,
  ]);
}

/** Emits a function that passes a block to a function of the runtime when the gateway starts. */
function emitMade({ module, symbol }: RuntimeLink, block: ObjectPlan, context: ValueContext): Code {
  return code`${parameters([block])} => ${call(linkTo(module, symbol), [emitValue(block, context)])}`;
}

function emitVersions({ location, origin, options }: VersionsPlan, context: ValueContext): Code {
  const { module, symbol } = versionLinks[location];
  const made = call(linkTo(module, symbol), [emitValue(options, context)]);
  return citing(origin, undefined, code`versions: ${made}`);
}

function emitProtections(protections: readonly ProtectionPlan[], context: ValueContext): Code {
  const options = protections.map((protection) => protection.options);
  const made = protections.map(({ name, origin, options }) => {
    const { module, symbol } = protectionLinks[name];
    const given = options.fields.length === 0 ? [] : [emitValue(options, context)];
    return citing(origin, undefined, call(linkTo(module, symbol), given));
  });
  return code`protections: ${parameters(options)} => ${list("[", made, "]")}`;
}

/** Emits a setting: values that are known at build time as they are, all others as a function of the environment. */
export function emitSetting(value: ValuePlan, context: ValueContext): Code {
  return readsEnvironment(value) ? emitRead(value, context) : emitValue(value, context);
}

/** Emits a value that is read when the gateway starts, as a function of the environment. */
export function emitRead(value: ValuePlan, context: ValueContext): Code {
  const written = emitValue(value, context);
  // Without brackets the brace of an object would begin a block.
  return code`${parameters([value])} => ${value.kind === "Object" ? code`(${written})` : written}`;
}

/** Returns the message types at each processor of a stream, by its path. Unknown types are absent. */
function stepTypesOf(api: string, stream: StreamPlan, scripts: Scripts): (path: string) => StepTypes {
  const steps = new Map(stream.messages.map((step) => [step.name, step]));
  const typeOf = (name: string | undefined) => {
    if (name === undefined || steps.get(name)?.isKnown !== true) return undefined;
    return code`${scripts.messagesOf(api, stream.name)}[${name}]`;
  };
  return (path) => {
    const name = path.slice(stream.origin.path.length + 1).replace(/^pipeline\./, "");
    // Getters: a file refers to the types only if it uses them.
    return {
      get reads() {
        return typeOf(steps.get(name)?.reads);
      },
      get gives() {
        return typeOf(name);
      },
    };
  };
}

function emitStream(stream: StreamPlan, { api, context }: { api: string; context: ValueContext }): Code {
  const { input, pipeline, output, errorHandling, resources } = stream;
  const values = [input, ...pipeline, output, ...(errorHandling === undefined ? [] : [errorHandling])];
  const shared = resources.map(({ component }) => component);
  const sharing: Code[] = [];
  const inside = {
    ...context,
    names: [...context.names, stream.name],
    path: stream.origin.path,
    sharing,
    namesSources: asksForSource(stream),
    stepTypes: stepTypesOf(api, stream, context.scripts),
  };
  const steps = pipeline.map((step) => emitComponent(step, inside));
  const parts = entries([
    citing(input.origin, input.label, code`input: ${emitInput(stream, api, inside)}`),
    ...(steps.length === 0 ? [] : [code`pipeline: ${list("[", steps, "]")}`]),
    ...(stream.threads === undefined ? [] : [code`threads: ${stream.threads}`]),
    citing(output.origin, output.label, code`output: ${emitComponent(output, inside)}`),
    ...(errorHandling === undefined ? [] : [code`errorHandling: ${emitValue(errorHandling, inside)}`]),
  ]);
  const name = propertyKey(stream.name);
  const body = emitBody(resources, sharing, parts, inside);
  const all = [...values, ...shared];
  if (stream.variables.length === 0) return code`${name}: ${parameters(all)} => ${body}`;
  const environment = raw(all.some(readsEnvironment) ? "env" : "_env");
  const perRequest = linkTo(perRequestLink.module, perRequestLink.symbol);
  return code`${name}: ${perRequest}(${[...stream.variables]}, (${environment}, request) => ${body})`;
}

/**
 * Emits the input. If one replica at a time reads it, emits a function that creates it when this replica takes over.
 */
function emitInput({ input, leased, name }: StreamPlan, api: string, context: ValueContext): Code {
  const made = emitComponent(input, context);
  if (!leased) return made;
  return call(linkTo(leasedInputLink.module, leasedInputLink.symbol), [
    literal(`${api}/${name}`),
    code`() => ${made}`,
  ]);
}

function emitBody(
  resources: readonly ResourcePlan[],
  functions: readonly Code[],
  parts: Code,
  context: ValueContext,
): Code {
  if (resources.length > 0) return emitSharing(resources, functions, parts, context);
  return functions.length === 0 ? code`(${parts})` : block([...functions, code`return ${parts};`]);
}

/** Emits a block with the shared resources, the script functions that use them, and the parts. */
function emitSharing(
  resources: readonly ResourcePlan[],
  functions: readonly Code[],
  parts: Code,
  context: ValueContext,
): Code {
  const all = code`Object.values(${raw(resourcesName)})`;
  const sharing = linkTo(sharingLink.module, sharingLink.symbol);
  const end = code`return ${sharing}(${all}, () => (${parts}));`;
  return block([emitResources(resources, context), ...functions, end]);
}

function parameters(values: readonly (ValuePlan | ComponentPlan)[]): Code {
  return raw(values.some(readsEnvironment) ? "(env)" : "()");
}
