// Checks the export of an entry module against the contract and converts unknown values to descriptors. Throws a
// `PackageProblem` with the place in the export that breaks the contract.

import { type Component, componentRoles, type RuntimeLink } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import type { Builtin, Parameter } from "../builtins/builtin.ts";
import { isRecord } from "../value-types/records.ts";
import { kindOf } from "./package-files.ts";
import { refuse } from "./package-problem.ts";
import { readSchema } from "./read-schema.ts";

/** The version of the contract that this compiler supports. */
const contractVersion = 1;

/** The components and builtins that a package describes. */
export interface PackageContents {
  readonly components: readonly Component[];
  readonly builtins: readonly Builtin[];
}

/**
 * Returns the contents that an entry module exports by default. Throws a `PackageProblem` if they break the contract.
 */
export function readContents(name: string, exported: unknown): PackageContents {
  if (!isRecord(exported) || exported.contract === undefined)
    return malformed(name, "the default export", "the result of `defineComponents`", exported);
  const { contract, components = [], builtins = [] } = exported;
  if (contract !== contractVersion)
    return refuse("GW4409", { package: name, version: String(contract), supported: contractVersion });
  const reader = new ShapeReader(name);
  return {
    components: reader.list(components, "components", (value, place) => reader.component(value, place)),
    builtins: reader.list(builtins, "builtins", (value, place) => reader.builtin(value, place)),
  };
}

function malformed(name: string, place: string, expected: string, found: unknown): never {
  return refuse("GW4403", { package: name, place, expected, found: kindOf(found) });
}

const flows = {
  output: [
    ...["write", "discard", "refuse", "refuse-flagged", "repeat"],
    ...["drop-refused", "first-accepting", "cases"],
  ],
  processor: [
    ...["mapping", "branch", "workflow", "sequence", "try", "catch"],
    ...["retry", "loop", "cases", "cached", "message"],
  ],
} as const;
const contents = ["same", "bytes", "object", "unknown", "reply", "list", "elements"];
const valueTypes = [
  ...["any", "never", "string", "bytes", "number", "integer", "bool"],
  ...["timestamp", "array", "object", "null"],
];
const parameterTypes = [
  ...["string", "integer", "float", "bool", "timestamp"],
  ...["array", "object", "query", "any"],
];
/** Names that documents and mappings can write. */
const identifier = /^[a-z][a-z0-9_]*$/;
const symbolName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const modulePath = /^(?!\.{0,2}\/)(?!.*\/\.{1,2}\/)[^\\]+\.(?:m?[jt]s)$/;

/** Reads the parts of one export. */
class ShapeReader {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  list<T>(value: unknown, place: string, read: (item: unknown, place: string) => T): readonly T[] {
    if (!Array.isArray(value)) return malformed(this.#name, place, "a list", value);
    return value.map((item, index) => read(item, `${place}[${index}]`));
  }

  component(value: unknown, place: string): Component {
    const found = this.#record(value, place);
    const role = this.#oneOf(found.role, `${place}.role`, componentRoles);
    const name = this.#text(found.name, `${place}.name`, identifier, "lower-case letters, digits and `_`");
    const called = `${role} \`${name}\``;
    this.#optional(found.aliases, (aliases) =>
      this.list(aliases, `${place}.aliases`, (alias, at) => this.#text(alias, at, identifier, "a name")),
    );
    this.#link(found.runtime, `${place}.runtime`);
    this.#optional(found.probe, (probe) => this.#link(probe, `${place}.probe`));
    this.#optional(found.variants, (variants) =>
      this.list(variants, `${place}.variants`, (variant, at) => {
        const { when, runtime } = this.#record(variant, at);
        this.#function(when, `${at}.when`);
        this.#link(runtime, `${at}.runtime`);
      }),
    );
    for (const flag of ["isChannel", "isSingle", "batchesItself", "changesCount", "onlyLogsFailures"])
      this.#optional(found[flag], (is) => this.#boolean(is, `${place}.${flag}`));
    this.#optional(found.rules, (rules) =>
      this.list(rules, `${place}.rules`, (rule, at) => this.#function(rule, at)),
    );
    if (role === "output") this.#oneOf(found.flow, `${place}.flow`, flows.output);
    if (role === "processor") this.#processor(found, place);
    if (role === "input") this.#optional(found.division, (it) => this.#division(it, `${place}.division`));
    const schema = this.#schema(found.schema, called, `${place}.schema`);
    // Every part that the compiler reads was checked above.
    return { ...found, role, name, schema } as unknown as Component;
  }

  builtin(value: unknown, place: string): Builtin {
    const found = this.#record(value, place);
    const kind = this.#oneOf(found.kind, `${place}.kind`, ["function", "method"] as const);
    const name = this.#text(found.name, `${place}.name`, identifier, "lower-case letters, digits and `_`");
    const called = `${kind} \`${name}\``;
    const wrong = (reason: string): never =>
      refuse("GW4408", { package: this.#name, builtin: called, reason });
    if (typeof found.doc !== "string" || found.doc === "") wrong("`doc` does not describe it");
    if (!valueTypes.includes(String(found.returns))) wrong(`\`returns\` is ${kindOf(found.returns)}`);
    const targets = Array.isArray(found.targets) ? found.targets : wrong("`targets` is not a list");
    for (const target of targets)
      if (!valueTypes.includes(String(target))) wrong(`\`targets\` has ${kindOf(target)}`);
    const parameters = Array.isArray(found.parameters) ? found.parameters : wrong("`args` is not a list");
    checkParameters(parameters, wrong);
    this.#link(found.link, `${place}.runtime`);
    // Every part that the compiler reads was checked above, or was filled in by `defineMethod` and `defineFunction`.
    return { ...found, kind, name } as unknown as Builtin;
  }

  #processor(found: Readonly<Record<string, unknown>>, place: string): void {
    const flow = this.#record(found.flow, `${place}.flow`);
    const kind = this.#oneOf(flow.kind, `${place}.flow.kind`, flows.processor);
    if (kind === "message" && typeof flow.effect !== "function") {
      const effect = this.#record(flow.effect, `${place}.flow.effect`);
      this.#oneOf(effect.content, `${place}.flow.effect.content`, contents);
    }
    if (kind === "cases" && typeof flow.field !== "string")
      malformed(this.#name, `${place}.flow.field`, "the name of a field", flow.field);
    if (found.mayFail !== undefined && typeof found.mayFail !== "string")
      this.#function(found.mayFail, `${place}.mayFail`);
  }

  #division(value: unknown, place: string): void {
    const { isDivided, otherwise } = this.#record(value, place);
    this.#function(isDivided, `${place}.isDivided`);
    if (otherwise === undefined) return;
    const { clause, hint } = this.#record(otherwise, `${place}.otherwise`);
    for (const [key, text] of Object.entries({ clause, hint }))
      this.#text(text, `${place}.otherwise.${key}`, /./, "text");
  }

  #schema(value: unknown, component: string, place: string): Schema {
    this.#record(value, place);
    const wrong = (reason: string): never => refuse("GW4404", { package: this.#name, component, reason });
    return readSchema(value, place, wrong);
  }

  #link(value: unknown, place: string): RuntimeLink {
    const { module, symbol } = this.#record(value, place);
    return {
      module: this.#text(module, `${place}.module`, modulePath, "a path of a module below the package"),
      symbol: this.#text(symbol, `${place}.symbol`, symbolName, "the name of an export"),
    };
  }

  #record(value: unknown, place: string): Readonly<Record<string, unknown>> {
    return isRecord(value) ? value : malformed(this.#name, place, "an object", value);
  }

  #text(value: unknown, place: string, form: RegExp, expected: string): string {
    return typeof value === "string" && form.test(value)
      ? value
      : malformed(this.#name, place, expected, value);
  }

  #oneOf<T extends string>(value: unknown, place: string, allowed: readonly T[]): T {
    const found = allowed.find((each) => each === value);
    return found ?? malformed(this.#name, place, `one of ${allowed.join(", ")}`, value);
  }

  #function(value: unknown, place: string): void {
    if (typeof value !== "function") malformed(this.#name, place, "a function", value);
  }

  #boolean(value: unknown, place: string): void {
    if (typeof value !== "boolean") malformed(this.#name, place, "true or false", value);
  }

  #optional(value: unknown, read: (value: unknown) => unknown): void {
    if (value !== undefined) read(value);
  }
}

function checkParameters(parameters: readonly unknown[], wrong: (reason: string) => never): void {
  const names = new Set<unknown>();
  for (const parameter of parameters) {
    const { name, type } = isRecord(parameter) ? (parameter as Partial<Parameter>) : {};
    if (typeof name !== "string" || !identifier.test(name)) wrong(`a parameter is named ${kindOf(name)}`);
    if (names.has(name)) wrong(`two parameters are named \`${name}\``);
    names.add(name);
    if (!parameterTypes.includes(String(type))) wrong(`the parameter \`${name}\` is of type ${kindOf(type)}`);
  }
}
