// Made-up data for tests and examples. The word lists are short: enough to look real, but useless as a source of
// secrets.

import { randomInt, randomUUID } from "node:crypto";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { textArgument } from "./arguments.ts";

const lowercase = "abcdefghijklmnopqrstuvwxyz";
const letters = `${lowercase}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const digits = "0123456789";
const hexadecimal = `${digits}abcdef`;

const maleNames = /* @__PURE__ */ words(
  "Adam Bruno Carlos David Emil Felix George Hassan Ivan James Kenji Liam Marco Nils",
);
const femaleNames = /* @__PURE__ */ words(
  "Alice Berta Clara Diana Emma Fatima Grace Hanna Irene Julia Keiko Laura Maria Nora",
);
const lastNames = /* @__PURE__ */ words(
  "Andersson Baker Costa Dubois Evans Fischer Garcia Hughes Ito Jensen Kowalski Lopez Moreau",
);
const loremWords = /* @__PURE__ */ words(
  "sit amet voluptatem accusantium dolorem aut fugit consequuntur magni nemo ipsam quia",
);
const months = /* @__PURE__ */ words(
  "January February March April May June July August September October November December",
);
const weekdays = /* @__PURE__ */ words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday");
const centuries = /* @__PURE__ */ words(
  "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI",
);
const timeZones = /* @__PURE__ */ words(
  "Africa/Lagos America/Lima America/New_York Asia/Tokyo Europe/Berlin Pacific/Auckland",
);
const topLevelDomains = /* @__PURE__ */ words("com net org info biz");
const cardTypes = /* @__PURE__ */ words("VISA MasterCard Discover JCB");
const currencies = /* @__PURE__ */ words("AUD BRL CAD CHF CNY EUR GBP INR JPY MXN SEK USD ZAR");
const maleTitles = /* @__PURE__ */ words("Mr. Dr. Prof. Lord King Prince");
const femaleTitles = /* @__PURE__ */ words("Mrs. Ms. Miss Dr. Prof. Lady Queen Princess");
const chineseFirstNames = /* @__PURE__ */ words("伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳");
const chineseLastNames = /* @__PURE__ */ words("王 李 张 刘 陈 杨 赵 黄 周 吴");

/** The generator of each kind of data, by its name in the language. */
const makers: ReadonlyMap<string, () => Value> = /* @__PURE__ */ new Map<string, () => Value>([
  ["", () => text(letters, 25)],
  ["latitude", () => randomInt(-90_000_000, 90_000_000) / 1e6 + 1e-7],
  ["longitude", () => randomInt(-180_000_000, 180_000_000) / 1e6 + 1e-7],
  ["unix_time", () => Math.floor(moment().getTime() / 1000)],
  ["date", () => moment().toISOString().slice(0, 10)],
  ["time_string", () => moment().toISOString().slice(11, 19)],
  ["month_name", () => oneOf(months)],
  ["year_string", () => moment().toISOString().slice(0, 4)],
  ["day_of_week", () => oneOf(weekdays)],
  ["day_of_month", () => String(randomInt(1, 32))],
  ["timestamp", () => moment().toISOString().slice(0, 19).replace("T", " ")],
  ["century", () => oneOf(centuries)],
  ["timezone", () => oneOf(timeZones)],
  ["time_period", () => oneOf(["AM", "PM"])],
  ["email", () => `${text(lowercase, 7)}@${domain()}`],
  ["mac_address", () => parts(6, ":", () => text(hexadecimal, 2))],
  ["domain_name", domain],
  ["url", () => `https://www.${domain()}/${text(letters, 7)}`],
  ["username", () => text(letters, 7)],
  ["ipv4", () => parts(4, ".", () => String(randomInt(256)))],
  ["ipv6", () => parts(8, ":", () => text(hexadecimal, 4))],
  ["password", () => text(letters, 50)],
  ["jwt", () => parts(3, ".", () => text(letters + digits, 40))],
  ["word", () => oneOf(loremWords)],
  ["sentence", sentence],
  ["paragraph", () => parts(randomInt(3, 8), " ", sentence)],
  ["cc_type", () => oneOf(cardTypes)],
  ["cc_number", () => `4${text(digits, 15)}`],
  ["currency", () => oneOf(currencies)],
  ["amount_with_currency", () => `${oneOf(currencies)} ${randomInt(1, 100_000)}.${text(digits, 2)}`],
  ["title_male", () => oneOf(maleTitles)],
  ["title_female", () => oneOf(femaleTitles)],
  ["first_name", firstName],
  ["first_name_male", () => oneOf(maleNames)],
  ["first_name_female", () => oneOf(femaleNames)],
  ["last_name", () => oneOf(lastNames)],
  ["name", () => `${oneOf([...maleTitles, ...femaleTitles])} ${firstName()} ${oneOf(lastNames)}`],
  ["gender", () => oneOf(["Male", "Female", "Prefer to skip"])],
  ["chinese_first_name", () => oneOf(chineseFirstNames)],
  ["chinese_last_name", () => oneOf(chineseLastNames)],
  ["chinese_name", () => oneOf(chineseLastNames) + oneOf(chineseFirstNames)],
  ["phone_number", () => `${randomInt(200, 1000)}-${text(digits, 3)}-${text(digits, 4)}`],
  ["toll_free_phone_number", () => `(${oneOf(words("777 888"))}) ${text(digits, 3)}-${text(digits, 6)}`],
  ["e164_phone_number", () => `+${randomInt(1, 10)}${text(digits, 11)}`],
  ["uuid_hyphenated", () => randomUUID()],
  ["uuid_digit", () => randomUUID().replaceAll("-", "")],
]);

/** `fake(function)` */
export function fake(kind: Value): Value {
  const name = textArgument("function 'fake'", "function", kind);
  const maker = makers.get(name.toLowerCase());
  if (maker === undefined) throw new MappingError(`invalid faker function: ${name}`);
  return maker();
}

function words(list: string): readonly string[] {
  return list.split(" ");
}

function oneOf(choices: readonly string[]): string {
  return choices[randomInt(choices.length)] ?? "";
}

function text(alphabet: string, length: number): string {
  return parts(length, "", () => alphabet.charAt(randomInt(alphabet.length)));
}

function parts(count: number, separator: string, make: () => string): string {
  return Array.from({ length: count }, make).join(separator);
}

/** Returns a random second since 1970. */
function moment(): Date {
  return new Date(randomInt(Math.floor(Date.now() / 1000)) * 1000);
}

function domain(): string {
  return `${text(lowercase, 7)}.${oneOf(topLevelDomains)}`;
}

function firstName(): string {
  return oneOf([...maleNames, ...femaleNames]);
}

function sentence(): string {
  const written = parts(randomInt(4, 12), " ", () => oneOf(loremWords));
  return `${written.charAt(0).toUpperCase()}${written.slice(1)}.`;
}
