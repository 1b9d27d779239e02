// Calls of runtime functions, named maps, and reads of other messages of the batch.

import { posix } from "node:path";
import type { Builtin } from "../../builtins/builtin.ts";
import type { Apply, Planned, PlannedArgument, PlannedCall, Shift } from "../../plan/mapping/ir.ts";
import { cacheOf } from "../../plan/resources.ts";
import { type Code, call, code, linkTo, linkToRuntime, list, literal, raw } from "../code.ts";
import { resourceReference } from "../names.ts";
import { emitClosure, emitThunk, functionOf } from "./closures.ts";
import { emitExpression, emitValue } from "./dispatch.ts";
import { emitKept } from "./kept.ts";
import { type Emitted, primary } from "./precedence.ts";
import { runtime } from "./runtime.ts";
import { canFail, type EmitScope, nestedScope, useRun } from "./scope.ts";

/**
 * `uppercase(target, "field `this.name`")`: what the call keeps, the run, folder or cache where it is needed, the
 * target, then the arguments.
 */
export function emitCall(node: PlannedCall, scope: EmitScope): Emitted {
  const { builtin, target, args, span } = node;
  const { kind } = builtin;
  const written = [...emitKept(builtin, args, scope)];
  if (builtin.needs === "run") written.push(useRun(scope));
  if (builtin.needs === "folder") written.push(literal(posix.dirname(span.source.file.path)));
  if (builtin.needs === "cache") written.push(resourceReference(cacheOf(node)));
  if (target !== undefined) written.push(emitValue(target, scope), literal(target.from));
  const last = args.findLastIndex((arg) => arg.kind !== "omitted");
  // The cache stands for the argument that names it.
  const first = builtin.needs === "cache" ? 1 : 0;
  // Of arguments without names, those that are computed are counted.
  const computed = args.filter((arg) => arg.kind === "value" && !literals.has(arg.value.kind));
  for (const [index, arg] of args.slice(first, last + 1).entries()) {
    const parameter = builtin.parameters[first + index];
    const name = parameter?.name ?? computed.indexOf(arg);
    written.push(emitArgument(arg, `${kind} '${builtin.name}'`, name, scope));
    if (arg.kind !== "closure" || parameter?.named === undefined) continue;
    if (parameter.named === "always" || canFail(arg.body, scope)) written.push(literal(arg.body.from));
  }
  return primary(call(linkToBuiltin(builtin), written));
}

/** The function of a builtin, of this package or of another. */
function linkToBuiltin({ link, module, symbol }: Builtin): Code {
  return link === undefined ? linkTo(`runtime/mapping/${module}`, symbol) : linkToRuntime(link);
}

/** A failure of a computed argument names the argument; reads of fields and variables name themselves. */
function emitArgument(arg: PlannedArgument, caller: string, name: string | number, scope: EmitScope): Code {
  switch (arg.kind) {
    case "value":
      if (namesItself.has(arg.value.kind) || !canFail(arg.value, scope)) return emitValue(arg.value, scope);
      return call(runtime("within"), [
        literal(`${caller}: failed to extract input arg '${name}'`),
        emitThunk(arg.value, scope),
      ]);
    case "closure":
      return emitClosure(arg.local, arg.body, scope);
    case "thunk":
      return emitThunk(arg.body, scope);
    case "omitted":
      return literal(undefined);
  }
}

/** What the reference takes for literals. */
const literals: ReadonlySet<Planned["kind"]> = new Set(["Constant", "Absence"]);

const namesItself: ReadonlySet<Planned["kind"]> = new Set(["Path", "MakeArray", "MakeObject"]);

/** `orderMap(value, run)` */
export function emitApply({ target, map }: Apply, scope: EmitScope): Emitted {
  const { maps, kind } = scope.state;
  const value = emitValue(target, scope);
  if (typeof map !== "string") {
    const table = [...maps].map(([name, symbol]) => code`[${name}, ${raw(symbol)}]`);
    const given = code`new Map(${list("[", table, "]")})`;
    return primary(call(runtime("applyNamed"), [given, emitValue(map, scope), value, useRun(scope)]));
  }
  const symbol = maps.get(map);
  if (symbol !== undefined) return primary(call(raw(symbol), [value, useRun(scope)]));
  const none = maps.size === 0 && (kind === "query" || kind === "template");
  return primary(
    none ? call(runtime("withoutMaps"), []) : call(runtime("unknownMap"), [literal(map), value]),
  );
}

/** The target with another message to look at. `this`, metadata being built and variables stay. */
export function emitShift({ target, index }: Shift, scope: EmitScope): Emitted {
  const run = useRun(scope);
  if (index?.kind === "Constant" && typeof index.value === "bigint") {
    return emitExpression(target, { ...scope, run: code`${run}.from(${emitValue(index, scope)})` });
  }
  const inner = nestedScope(scope);
  const name = raw(inner.names.claim("shifted", "shifted"));
  const query = functionOf([name], emitValue(target, { ...inner, run: name }), inner);
  if (index === undefined) return primary(call(code`${run}.fromAll`, [query]));
  return primary(call(runtime("fromIndex"), [run, emitValue(index, scope), query]));
}
