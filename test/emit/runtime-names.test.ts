import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { isPlainField } from "../../compiler/emit/mapping/paths.ts";
import { runtimeHomes, runtimeTypeHomes } from "../../compiler/emit/mapping/runtime.ts";
import { localNames } from "../../compiler/emit/mapping/scope.ts";
import { SizedNumber, SourceNumber, Timestamp, Unsigned, WholeFloat } from "../../runtime/message/value.ts";
import { projectRoot } from "../harness/directories.ts";

test("every symbol that mappings import is exported", async () => {
  const builtins = coreBuiltins.builtins
    .filter((builtin) => builtin.module !== "")
    .flatMap(({ symbol, module, state }) =>
      [symbol, ...(state === undefined ? [] : [state.symbol])].map(
        (each) => [each, `runtime/mapping/${module}`] as const,
      ),
    );
  for (const [symbol, module] of [...Object.entries(runtimeHomes), ...builtins]) {
    const loaded: Record<string, unknown> = await import(`../../${module}`);
    assert.ok(Object.hasOwn(loaded, symbol), `${module} exports ${symbol}`);
  }
});

test("every type that mappings import is exported", () => {
  for (const [type, module] of Object.entries(runtimeTypeHomes)) {
    const text = readFileSync(join(projectRoot, module), "utf8");
    assert.match(text, new RegExp(`^export (?:abstract )?(?:class|interface|type) ${type}\\b`, "m"));
  }
});

test("no symbol equals a name that functions use for their local values", () => {
  const symbols = [...Object.keys(runtimeHomes), ...coreBuiltins.builtins.map(({ symbol }) => symbol)];
  assert.equal(
    localNames.filter((name) => symbols.includes(name)),
    [],
  );
});

test("every symbol is exported by only one module", () => {
  const homes = new Map(Object.entries(runtimeHomes));
  for (const { symbol, module } of coreBuiltins.builtins) {
    if (module === "") continue;
    const home = `runtime/mapping/${module}`;
    assert.is(homes.get(symbol) ?? home, home, symbol);
    homes.set(symbol, home);
  }
});

test("fields that prototypes have are not plain fields", () => {
  const values = [{}, [], "", 0, false, 0n, new Uint8Array(), Symbol.prototype];
  const classes = [WholeFloat, Unsigned, SizedNumber, SourceNumber, Timestamp].map((each) => each.prototype);
  for (const value of [...values, ...classes]) {
    for (let at: unknown = Object(value); at !== null; at = Object.getPrototypeOf(at)) {
      const names = Object.getOwnPropertyNames(at).filter((name) => name !== "constructor");
      for (const name of [...names, "constructor"]) assert.not(isPlainField(name), name);
    }
  }
});

test("indexes, wildcards and array ends are not plain fields", () => {
  for (const name of ["0", "-1", "+1", "*", "-", "length", "__proto__"]) assert.not(isPlainField(name), name);
  for (const name of ["id", "a b", "0x", "name", ""]) assert.ok(isPlainField(name), name);
});

test.run();
