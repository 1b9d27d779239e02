// Creates the dialect of documents from the packages that a set names: runs their entry modules, checks their
// descriptors against the contract, and finds their modules. Mistakes are reported where the set names the package.

import { coreCatalogue, createCatalogue } from "../../schemas/catalogue.ts";
import type { Component } from "../../schemas/component.ts";
import type { Builtin } from "../builtins/builtin.ts";
import { coreBuiltins, createBuiltinCatalogue } from "../builtins/catalogue.ts";
import type { Report } from "../diagnostics/sink.ts";
import type { FileSystem } from "../parse/document/file-system.ts";
import type { Dialect, NamedPackage } from "../trees/dialect.ts";
import type { LoadedPackage } from "./load-package.ts";
import { PackageProblem } from "./package-problem.ts";

/**
 * Returns a loader that reads packages from a file system; `location` is the path of the settings in it, if it differs.
 */
export function dialectLoader(fileSystem: FileSystem, location?: string) {
  return async (named: readonly NamedPackage[], path: string, report: Report): Promise<Dialect> => {
    const settings = location ?? path;
    // Imported lazily: checking a set without packages loads none of this.
    const { loadPackage } = await import("./load-package.ts");
    const loaded: Loaded[] = [];
    for (const each of named) {
      try {
        const taken = loaded.map(({ contents }) => contents);
        const contents = await loadPackage(each, settings, fileSystem, taken);
        const other = loaded.find(({ contents: { name } }) => name === contents.name);
        if (other === undefined) loaded.push({ named: each, contents });
        else report("GW4414", each.span, { package: contents.name }, otherOne(other));
      } catch (error) {
        if (!(error instanceof PackageProblem)) throw error;
        error.reportAt(report, each.span);
      }
    }
    return withoutClashes(loaded, named.length, report);
  };
}

/** Returns the name of a role for people: `rate limit`. */
function kindOf(role: Component["role"]): string {
  return role.replace("_", " ");
}

interface Loaded {
  readonly named: NamedPackage;
  readonly contents: LoadedPackage;
}

function otherOne({ named }: Loaded) {
  return { span: named.span, message: "The other one is here." };
}

/** Returns the dialect of all packages; of two components or builtins with one name, the first is kept. */
function withoutClashes(loaded: readonly Loaded[], named: number, report: Report): Dialect {
  const owners = new Map<string, Loaded | undefined>();
  const components: Component[] = [...coreCatalogue.components];
  const builtins: Builtin[] = [...coreBuiltins.builtins];
  for (const { role, name, aliases = [] } of components)
    for (const each of [name, ...aliases]) owners.set(`${kindOf(role)} ${each}`, undefined);
  for (const { kind, name } of builtins) owners.set(`${kind} ${name}`, undefined);
  for (const each of loaded) {
    const { contents } = each;
    const isFree = (kind: string, names: readonly string[]) => {
      const taken = names.find((name) => owners.has(`${kind} ${name}`));
      if (taken === undefined) {
        for (const name of names) owners.set(`${kind} ${name}`, each);
        return true;
      }
      const owner = owners.get(`${kind} ${taken}`);
      const details = { package: contents.name, kind, name: taken, owner: owner?.contents.name };
      report("GW4405", each.named.span, details, owner && otherOne(owner));
      return false;
    };
    for (const component of contents.components)
      if (isFree(kindOf(component.role), [component.name, ...(component.aliases ?? [])]))
        components.push(component);
    for (const builtin of contents.builtins) if (isFree(builtin.kind, [builtin.name])) builtins.push(builtin);
  }
  const packages = loaded.map(({ contents: { name, folder } }) => ({ name, folder }));
  const isPartial = loaded.length < named;
  return {
    components: createCatalogue(components, isPartial),
    builtins: createBuiltinCatalogue(builtins, isPartial),
    packages,
    templates: [],
  };
}
