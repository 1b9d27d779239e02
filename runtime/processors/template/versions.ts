// Functions on semantic versions.

import { compiledRegexp } from "../../mapping/regexp.ts";
import { failure, Int, Opaque, type TemplateFunction, type TemplateValue } from "./values.ts";

const versionPattern =
  "^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$";
const operators = "(=|!=|>=|=>|<=|=<|>|<|~>|~|\\^|)";
const partial =
  "v?([0-9|xX*]+)(?:\\.([0-9|xX*]+))?(?:\\.([0-9|xX*]+))?(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?";
const wildcard = /^[xX*]?$/;

function refuse(reason: string): never {
  throw failure(reason);
}

/** A version. */
class Version extends Opaque {
  readonly type = "*semver.Version";
  readonly kind = "ptr";
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;

  constructor(
    numbers: readonly [bigint, bigint, bigint],
    prerelease: string,
    metadata: string,
    original: string,
  ) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
    this.metadata = metadata;
    this.original = original;
  }

  text(): string {
    const lead = this.prerelease === "" ? "" : `-${this.prerelease}`;
    return `${this.numbers.join(".")}${lead}${this.metadata === "" ? "" : `+${this.metadata}`}`;
  }

  method(name: string): TemplateFunction | undefined {
    const [major, minor, patch] = this.numbers;
    const number = (value: bigint) => new Int("uint64", value);
    const values = new Map<string, TemplateValue>([
      ["Major", number(major)],
      ["Minor", number(minor)],
      ["Patch", number(patch)],
      ["Prerelease", this.prerelease],
      ["Metadata", this.metadata],
      ["Original", this.original],
      ["String", this.text()],
    ]);
    if (values.has(name)) return { takes: "", call: () => values.get(name) };
    const compared = (test: (order: number) => boolean): TemplateFunction => ({
      takes: "any",
      call: (other: TemplateValue) => {
        if (!(other instanceof Version)) throw failure(`\`${name}\` compares with another version`);
        return test(compare(this, other));
      },
    });
    if (name === "Equal") return compared((order) => order === 0);
    if (name === "LessThan") return compared((order) => order < 0);
    return name === "GreaterThan" ? compared((order) => order > 0) : undefined;
  }
}

export function semver(text: string): Version {
  const matcher = compiledRegexp(versionPattern, refuse).matcher(text);
  if (!matcher.find()) throw failure("invalid semantic version");
  const part = (index: number): bigint => {
    const value = BigInt(matcher.group(index) || "0");
    if (value >= 2n ** 64n) throw failure("a number of the version is out of range");
    return value;
  };
  return new Version([part(1), part(2), part(3)], matcher.group(4) ?? "", matcher.group(5) ?? "", text);
}

/** Returns a negative number, zero or a positive number as a version precedes, equals or follows another one. */
function compare(one: Version, other: Version): number {
  for (const [index, number] of one.numbers.entries()) {
    const against = other.numbers[index] ?? 0n;
    if (number !== against) return number < against ? -1 : 1;
  }
  if (one.prerelease === other.prerelease) return 0;
  if (one.prerelease === "") return 1;
  return other.prerelease === "" ? -1 : comparePrereleases(one.prerelease, other.prerelease);
}

function comparePrereleases(one: string, other: string): number {
  const [left, right] = [one.split("."), other.split(".")];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]];
    if (a === b) continue;
    if (a === undefined) return -1;
    if (b === undefined) return 1;
    const [isNumber, isOtherNumber] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    if (!isNumber) return a < b ? -1 : 1;
    const [first, second] = [BigInt(a), BigInt(b)];
    if (first !== second) return first < second ? -1 : 1;
  }
  return 0;
}

/** `>=1.2`: numbers that are left out, or are `x`, match any. */
interface Constraint {
  readonly operator: string;
  readonly version: Version;
  /** The number of numbers that are given. */
  readonly given: number;
}

/** Whether a version satisfies a constraint, such as `^1.2 || >=3.0.0, <4`. */
export function semverCompare(constraint: string, text: string): boolean {
  const groups = withoutRanges(constraint).split("||").map(constraintsOf);
  const version = semver(text);
  return groups.some((group) => {
    const takesPrereleases = group.some((each) => each.version.prerelease !== "");
    return group.every((each) => satisfies(version, each, takesPrereleases));
  });
}

/** Replaces `1.2 - 1.4` by comparisons. */
function withoutRanges(text: string): string {
  const pattern = compiledRegexp(`(${partial})\\s+-\\s+(${partial})`, refuse);
  const matcher = pattern.matcher(text);
  let result = "";
  let copied = 0;
  while (matcher.find()) {
    result += `${text.slice(copied, matcher.start())}>=${matcher.group(1) ?? ""}, <=${matcher.group(6) ?? ""} `;
    copied = matcher.end();
  }
  return result + text.slice(copied);
}

function constraintsOf(text: string): readonly Constraint[] {
  const whole = `^\\s*${operators}\\s*${partial}\\s*(?:(?:\\s+|,\\s*)${operators}\\s*${partial}\\s*)*$`;
  if (!compiledRegexp(whole, refuse).matcher(text).find()) throw failure(`improper constraint: ${text}`);
  const matcher = compiledRegexp(`${operators}\\s*${partial}`, refuse).matcher(text);
  const found: Constraint[] = [];
  while (matcher.find()) {
    const parts = [2, 3, 4].map((index) => matcher.group(index) ?? "");
    const first = parts.findIndex((part) => wildcard.test(part));
    const given = first < 0 ? 3 : first;
    const numbers = [...parts.slice(0, given), "0", "0", "0"].slice(0, 3);
    const prerelease = matcher.group(5) ?? "";
    const version = semver(`${numbers.join(".")}${prerelease === "" ? "" : `-${prerelease}`}`);
    found.push({ operator: matcher.group(1) ?? "", version, given });
  }
  return found;
}

function satisfies(
  version: Version,
  { operator, version: wanted, given }: Constraint,
  takesPrereleases: boolean,
): boolean {
  if (version.prerelease !== "" && !takesPrereleases) return false;
  const order = compare(version, wanted);
  const [major, minor, patch] = version.numbers;
  const [wantedMajor, wantedMinor, wantedPatch] = wanted.numbers;
  const isSameMinor = major === wantedMajor && minor === wantedMinor;
  switch (operator) {
    case "!=":
      return given === 3 ? order !== 0 : !isWithin(version, wanted, given);
    case ">":
      if (given === 3) return order > 0;
      if (given === 2) return major > wantedMajor || (major === wantedMajor && minor > wantedMinor);
      return major > wantedMajor;
    case "<":
      return order < 0;
    case ">=":
    case "=>":
      return order >= 0;
    case "<=":
    case "=<":
      if (given === 3) return order <= 0;
      return major < wantedMajor || (major === wantedMajor && (given < 2 || minor <= wantedMinor));
    case "^":
      if (order < 0) return false;
      if (wantedMajor > 0n || given === 1) return major === wantedMajor;
      if (major > 0n && wantedMajor === 0n && given > 0) return false;
      if (wantedMinor > 0n || given === 2) return minor === wantedMinor;
      return given === 0 || (minor === 0n && patch === wantedPatch);
    case "~":
    case "~>":
      return order >= 0 && isTilde(version, wanted, given);
    default:
      if (given === 3) return order === 0;
      return order >= 0 && (given === 1 ? major === wantedMajor : given === 0 || isSameMinor);
  }
}

function isWithin(version: Version, wanted: Version, given: number): boolean {
  const isSame = version.numbers.slice(0, given).every((number, index) => number === wanted.numbers[index]);
  return isSame && (given < 2 || version.prerelease === wanted.prerelease);
}

function isTilde(version: Version, wanted: Version, given: number): boolean {
  if (wanted.numbers.every((number) => number === 0n) && given !== 1) return true;
  return isWithin({ ...version, prerelease: wanted.prerelease } as Version, wanted, given === 1 ? 1 : 2);
}
