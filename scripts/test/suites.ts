import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Service, services } from "./services.ts";

/** A command whose success is counted: a test file, the type check or the lint. */
export interface Suite {
  /** The name in the summary; for a test file, its path from the root. */
  readonly name: string;
  readonly command: readonly string[];
  /** The services that it needs. */
  readonly needs: readonly Service[];
  /** Whether it reports its own tests; any other command counts as one test. */
  readonly isTestFile: boolean;
  /**
   * Whether it runs only with `npm run test:long`: it floods, kills and restarts, uses random input, or is
   * exhaustive.
   */
  readonly isLong: boolean;
  /** Words of the command line that its name does not contain; they select among its cases. */
  readonly words: readonly string[];
  /** The database of tests that are written for each one; both if it is missing. */
  readonly database?: "PostgreSQL" | "SQLite";
}

/** Returns the type check, the lint and every test file below `test/`, sorted by name. */
export function findSuites(root: string): Suite[] {
  const files = globSync("test/**/*.test.ts", { cwd: root }).sort();
  return [
    // The caches of `npm run check`: half of the work is saved where few files have changed since.
    check("types", ["tsc", "--noEmit", "--checkers", "1", ...resuming("types"), "-p", "."]),
    check("types of the pages", ["tsc", "--noEmit", ...resuming("types-of-pages"), "-p", "pages"]),
    check("lint", ["biome", "check", "."]),
    ...files.map((file) => testFile(file.replaceAll("\\", "/"))),
  ];
}

/** Options of tsc that resume a type check from what it found before, in a file of this name. */
function resuming(name: string): readonly string[] {
  return ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/${name}.tsbuildinfo`];
}

function check(name: string, [program = "", ...args]: readonly string[]): Suite {
  const command = [join("node_modules/.bin", program), ...args];
  return { name, command, needs: [], isTestFile: false, isLong: false, words: [] };
}

/** Services that are not brokers. */
const programs: ReadonlySet<Service> = new Set(["chromium", "neovim", "emacs"]);

/**
 * Describes a test file: `orders.kafka.test.ts` needs Kafka, `page.mqtt.chromium.test.ts` two services;
 * `crash.long.kafka.test.ts` is long.
 */
function testFile(name: string): Suite {
  const marks = basename(name).split(".").slice(1, -2);
  const needs = services.filter(
    (service) => marks.includes(service) || (marks.includes("brokers") && !programs.has(service)),
  );
  const isLong = marks.includes("long");
  return { name, command: [process.execPath, name], needs, isTestFile: true, isLong, words: [] };
}

/**
 * Returns the suites of a run: all quick ones, on PostgreSQL; the long ones, and those on SQLite that the quick run has
 * on PostgreSQL; or those that match the words.
 */
export function select(root: string, { long = false, words = [] }: SuiteSelection): Suite[] {
  const suites = findSuites(root);
  if (words.length > 0) return narrow(root, suites, words);
  const [quick, exhaustive] = [
    suites.filter((suite) => !suite.isLong),
    suites.filter((suite) => suite.isLong),
  ];
  if (!long) return quick.map((suite) => ({ ...suite, database: "PostgreSQL" }));
  const again = quick.filter(({ name }) => isOnEachDatabase(root, name));
  return [...exhaustive, ...again.map((suite) => ({ ...suite, database: "SQLite" as const }))];
}

/** Whether the quick run tests only one of two databases there, so that the long run tests the other one. */
function isOnEachDatabase(root: string, name: string): boolean {
  return (
    name.endsWith(".postgres.test.ts") && readFileSync(join(root, name), "utf8").includes("testedDatabases()")
  );
}

/** The arguments of the test command. */
export interface SuiteSelection {
  readonly long?: boolean;
  readonly words?: readonly string[];
}

/** Returns the suites in which each word is part of the path, of a test's name or of a case folder's name. */
function narrow(root: string, suites: readonly Suite[], words: readonly string[]): Suite[] {
  return suites.flatMap((suite) => {
    const others = words.filter((word) => !suite.name.includes(word));
    if (others.length === 0) return [suite];
    const names = suite.isTestFile ? testNames(root, suite.name) : [];
    const isMeant = others.every((word) => names.some((name) => name.includes(word)));
    return isMeant ? [{ ...suite, words: others }] : [];
  });
}

function testNames(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const named = [...text.matchAll(/\btest(?:\.only)?\(\s*(["'`])(.+?)\1/g)].map((match) => match[2] ?? "");
  const folders = [...text.matchAll(/\bcases\(\s*"(.+?)"/g)].map((match) => join(root, match[1] ?? ""));
  const inFolders = folders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
  return [...named, ...inFolders];
}
