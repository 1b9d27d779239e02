// Time zones: which ones exist, the zone of the process, and zone abbreviations.

import { MappingError } from "../errors.ts";
import { formatOffset, localZone, padded, zoneOffset } from "../message/timestamp.ts";

/**
 * Rows of zone abbreviations and the zones that use them, such as `EST-5 EDT-4`: each name is followed by hours east of
 * UTC. An offset without an entry has no name except its digits. If an offset had two names, the later one counts.
 * Names abandoned before 1970 are omitted.
 */
const zoneTable: readonly (readonly [abbreviations: string, zones: string])[] = [
  ["", "Africa/Casablanca Africa/El_Aaiun America/Araguaina America/Argentina/Buenos_Aires"],
  ["", "America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Argentina/Cordoba"],
  ["", "America/Argentina/Jujuy America/Argentina/La_Rioja America/Argentina/Mendoza"],
  ["", "America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan"],
  ["", "America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia"],
  ["", "America/Asuncion America/Bahia America/Belem America/Boa_Vista America/Bogota"],
  ["", "America/Buenos_Aires America/Campo_Grande America/Caracas America/Catamarca America/Cayenne"],
  ["", "America/Cordoba America/Coyhaique America/Cuiaba America/Eirunepe America/Fortaleza"],
  ["", "America/Godthab America/Guayaquil America/Guyana America/Jujuy America/La_Paz America/Lima"],
  ["", "America/Maceio America/Manaus America/Mendoza America/Montevideo America/Noronha"],
  ["", "America/Nuuk America/Paramaribo America/Porto_Acre America/Porto_Velho America/Punta_Arenas"],
  ["", "America/Recife America/Rio_Branco America/Rosario America/Santarem America/Santiago"],
  ["", "America/Sao_Paulo America/Scoresbysund Antarctica/Casey Antarctica/Davis"],
  ["", "Antarctica/DumontDUrville Antarctica/Mawson Antarctica/Palmer Antarctica/Rothera"],
  ["", "Antarctica/Syowa Antarctica/Troll Antarctica/Vostok Asia/Aden Asia/Almaty Asia/Anadyr"],
  ["", "Asia/Aqtau Asia/Aqtobe Asia/Ashgabat Asia/Ashkhabad Asia/Atyrau Asia/Baghdad Asia/Bahrain"],
  ["", "Asia/Baku Asia/Bangkok Asia/Barnaul Asia/Bishkek Asia/Brunei Asia/Chita Asia/Choibalsan"],
  ["", "Asia/Colombo Asia/Dacca Asia/Dhaka Asia/Dili Asia/Dubai Asia/Dushanbe Asia/Ho_Chi_Minh"],
  ["", "Asia/Hovd Asia/Irkutsk Asia/Kabul Asia/Kamchatka Asia/Kashgar Asia/Kathmandu Asia/Katmandu"],
  ["", "Asia/Khandyga Asia/Krasnoyarsk Asia/Kuala_Lumpur Asia/Kuching Asia/Kuwait Asia/Magadan"],
  ["", "Asia/Muscat Asia/Novokuznetsk Asia/Novosibirsk Asia/Omsk Asia/Oral Asia/Phnom_Penh"],
  ["", "Asia/Qatar Asia/Qostanay Asia/Qyzylorda Asia/Rangoon Asia/Riyadh Asia/Saigon Asia/Sakhalin"],
  ["", "Asia/Samarkand Asia/Singapore Asia/Srednekolymsk Asia/Tashkent Asia/Tbilisi Asia/Tehran"],
  ["", "Asia/Thimbu Asia/Thimphu Asia/Tomsk Asia/Ulaanbaatar Asia/Ulan_Bator Asia/Urumqi"],
  ["", "Asia/Ust-Nera Asia/Vientiane Asia/Vladivostok Asia/Yakutsk Asia/Yangon Asia/Yekaterinburg"],
  ["", "Asia/Yerevan Atlantic/Cape_Verde Atlantic/South_Georgia Atlantic/Stanley Australia/Eucla"],
  ["", "Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West Chile/Continental Chile/EasterIsland"],
  ["", "Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4 Etc/GMT+5 Etc/GMT+6"],
  ["", "Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13"],
  ["", "Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9"],
  ["", "Europe/Astrakhan Europe/Samara Europe/Saratov Europe/Ulyanovsk Indian/Chagos"],
  ["", "Indian/Christmas Indian/Cocos Indian/Kerguelen Indian/Mahe Indian/Maldives Indian/Mauritius"],
  ["", "Indian/Reunion Iran Kwajalein NZ-CHAT Pacific/Apia Pacific/Bougainville Pacific/Chatham"],
  ["", "Pacific/Chuuk Pacific/Easter Pacific/Efate Pacific/Enderbury Pacific/Fakaofo Pacific/Fiji"],
  ["", "Pacific/Funafuti Pacific/Galapagos Pacific/Gambier Pacific/Guadalcanal Pacific/Kanton"],
  ["", "Pacific/Kiritimati Pacific/Kosrae Pacific/Kwajalein Pacific/Majuro Pacific/Marquesas"],
  ["", "Pacific/Nauru Pacific/Niue Pacific/Norfolk Pacific/Noumea Pacific/Palau Pacific/Pitcairn"],
  ["", "Pacific/Pohnpei Pacific/Ponape Pacific/Port_Moresby Pacific/Rarotonga Pacific/Tahiti"],
  ["", "Pacific/Tarawa Pacific/Tongatapu Pacific/Truk Pacific/Wake Pacific/Wallis Pacific/Yap"],
  ["", "Singapore"],
  ["ACST+9:30", "Australia/Darwin Australia/North"],
  ["ACST+9:30 ACDT+10:30", "Australia/Adelaide Australia/Broken_Hill Australia/South"],
  ["ACST+9:30 ACDT+10:30", "Australia/Yancowinna"],
  ["AEST+10", "Australia/LHI Australia/Lord_Howe"],
  ["AEST+10 AEDT+11", "Antarctica/Macquarie Australia/ACT Australia/Brisbane Australia/Canberra"],
  ["AEST+10 AEDT+11", "Australia/Currie Australia/Hobart Australia/Lindeman Australia/Melbourne"],
  ["AEST+10 AEDT+11", "Australia/NSW Australia/Queensland Australia/Sydney Australia/Tasmania"],
  ["AEST+10 AEDT+11", "Australia/Victoria"],
  ["AHST-10 AKST-9 AKDT-8", "America/Anchorage US/Alaska"],
  ["AKST-9 AKDT-8", "America/Yakutat"],
  ["AKST-9 AKDT-8 PDT-7", "America/Juneau America/Metlakatla America/Sitka"],
  ["AST-4", "America/Anguilla America/Antigua America/Aruba America/Blanc-Sablon America/Curacao"],
  ["AST-4", "America/Dominica America/Grenada America/Guadeloupe America/Kralendijk"],
  ["AST-4", "America/Lower_Princes America/Marigot America/Miquelon America/Montserrat"],
  ["AST-4", "America/Port_of_Spain America/Puerto_Rico America/St_Barthelemy America/St_Kitts"],
  ["AST-4", "America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola America/Virgin"],
  ["AST-4 ADT-3", "America/Barbados America/Glace_Bay America/Halifax America/Martinique"],
  ["AST-4 ADT-3", "America/Moncton America/Thule Atlantic/Bermuda Canada/Atlantic"],
  ["AST-4 ADT-3 ADDT-2", "America/Goose_Bay"],
  ["AWST+8 AWDT+9", "Australia/Perth Australia/West"],
  ["BST-11 BDT-10 AKST-9 AKDT-8", "America/Nome"],
  ["BST-11 HST-10 HDT-9", "America/Adak America/Atka US/Aleutian"],
  ["CAT+2", "Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Kigali"],
  ["CAT+2", "Africa/Lubumbashi Africa/Lusaka Africa/Maputo"],
  ["CAT+2 EAT+3", "Africa/Juba Africa/Khartoum"],
  ["CET+1 CEST+2", "Africa/Tunis Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam"],
  ["CET+1 CEST+2", "Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels"],
  ["CET+1 CEST+2", "Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar"],
  ["CET+1 CEST+2", "Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco"],
  ["CET+1 CEST+2", "Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome"],
  ["CET+1 CEST+2", "Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane"],
  ["CET+1 CEST+2", "Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb"],
  ["CET+1 CEST+2", "Europe/Zurich Poland"],
  ["CET+1 EET+2", "Africa/Tripoli Libya"],
  ["CET+1 EET+2 EEST+3 MSD+4", "Europe/Vilnius"],
  ["CST+8 CDT+9", "Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai"],
  ["CST+8 CDT+9", "Asia/Taipei PRC ROC"],
  ["CST-5 CDT-4", "America/Havana Cuba"],
  ["CST-6", "America/Regina Canada/Saskatchewan"],
  ["CST-6 CDT-5", "America/Belize America/Chicago America/Costa_Rica America/El_Salvador"],
  ["CST-6 CDT-5", "America/Guatemala America/Indiana/Knox America/Knox_IN America/Managua"],
  ["CST-6 CDT-5", "America/Matamoros America/Menominee America/Merida America/Mexico_City"],
  ["CST-6 CDT-5", "America/Monterrey America/Rainy_River America/Rankin_Inlet America/Resolute"],
  ["CST-6 CDT-5", "America/Tegucigalpa America/Winnipeg CST6CDT Canada/Central Mexico/General"],
  ["CST-6 CDT-5", "US/Central US/Indiana-Starke"],
  ["CST-6 CDT-5 EDT-4", "America/Indiana/Tell_City"],
  ["CST-6 EST-5 EDT-4", "America/Cancun America/Indiana/Petersburg America/Indiana/Vincennes"],
  ["CST-6 EST-5 EDT-4", "America/Indiana/Winamac America/Iqaluit America/Kentucky/Monticello"],
  ["CST-6 EST-5 EDT-4", "America/Pangnirtung"],
  ["ChST+10 GDT+11", "Pacific/Guam Pacific/Saipan"],
  ["EAT+3", "Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti"],
  ["EAT+3", "Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro"],
  ["EAT+3", "Indian/Mayotte"],
  ["EET+2", "Asia/Amman Asia/Damascus Asia/Istanbul Europe/Istanbul Turkey"],
  ["EET+2 EEST+3", "Africa/Cairo Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia EET"],
  ["EET+2 EEST+3", "Egypt Europe/Athens Europe/Bucharest Europe/Helsinki Europe/Mariehamn"],
  ["EET+2 EEST+3", "Europe/Nicosia Europe/Sofia"],
  ["EET+2 EEST+3 MSD+4", "Europe/Chisinau Europe/Kiev Europe/Kyiv Europe/Riga Europe/Tallinn"],
  ["EET+2 EEST+3 MSD+4", "Europe/Tiraspol Europe/Uzhgorod Europe/Zaporozhye"],
  ["EET+2 MSD+4", "Europe/Kaliningrad Europe/Minsk"],
  ["EET+2 MSK+3 MSK+4", "Europe/Moscow Europe/Simferopol W-SU"],
  ["EST-5", "America/Atikokan America/Cayman America/Coral_Harbour America/Panama EST"],
  ["EST-5 AST-4", "America/Santo_Domingo"],
  ["EST-5 EDT-4", "America/Detroit America/Fort_Wayne America/Grand_Turk"],
  ["EST-5 EDT-4", "America/Indiana/Indianapolis America/Indiana/Marengo America/Indiana/Vevay"],
  ["EST-5 EDT-4", "America/Indianapolis America/Jamaica America/Kentucky/Louisville"],
  ["EST-5 EDT-4", "America/Louisville America/Montreal America/Nassau America/New_York"],
  ["EST-5 EDT-4", "America/Nipigon America/Port-au-Prince America/Thunder_Bay America/Toronto"],
  ["EST-5 EDT-4", "Canada/Eastern EST5EDT Jamaica US/East-Indiana US/Eastern US/Michigan"],
  ["GMT+0", "Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry"],
  ["GMT+0", "Africa/Dakar Africa/Freetown Africa/Lome Africa/Nouakchott Africa/Ouagadougou"],
  ["GMT+0", "Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT"],
  ["GMT+0", "Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland"],
  ["GMT+0 BST+1", "Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB"],
  ["GMT+0 BST+1", "GB-Eire"],
  ["GMT+0 IST+1", "Eire Europe/Dublin"],
  ["GMT+0 WAT+1", "Africa/Sao_Tome"],
  ["HKT+8 HKST+9", "Asia/Hong_Kong Hongkong"],
  ["HST-10", "HST Pacific/Honolulu Pacific/Johnston US/Hawaii"],
  ["IST+2 IDT+3", "Asia/Jerusalem Asia/Tel_Aviv Israel"],
  ["IST+5:30", "Asia/Calcutta Asia/Kolkata"],
  ["JST+9", "Asia/Tokyo Japan"],
  ["KST+8:30 KST+9", "Asia/Pyongyang"],
  ["KST+9 KDT+10", "Asia/Seoul ROK"],
  ["MET+1 MEST+2", "MET"],
  ["MMT+0:44:30 GMT+0", "Africa/Monrovia"],
  ["MSK+3", "Europe/Volgograd"],
  ["MSK+3 MSK+4", "Europe/Kirov"],
  ["MST-7", "America/Creston America/Phoenix MST US/Arizona"],
  ["MST-7 CST-6", "America/Swift_Current"],
  ["MST-7 CST-6 CDT-5", "America/Bahia_Banderas America/Chihuahua America/North_Dakota/Beulah"],
  ["MST-7 CST-6 CDT-5", "America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga"],
  ["MST-7 MDT-6", "America/Boise America/Denver America/Edmonton America/Hermosillo America/Mazatlan"],
  ["MST-7 MDT-6", "America/Shiprock America/Yellowknife Canada/Mountain MST7MDT Mexico/BajaSur"],
  ["MST-7 MDT-6", "Navajo US/Mountain"],
  ["MST-7 MDT-6 CDT-5", "America/Ciudad_Juarez"],
  ["MST-7 MDT-6 EST-5", "America/Cambridge_Bay"],
  ["NST-3:30 NDT-2:30 NDDT-1:30", "America/St_Johns Canada/Newfoundland"],
  ["NZST+12 NZDT+13", "Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland"],
  ["PKT+5 PKST+6", "Asia/Karachi"],
  ["PST+8 PDT+9", "Asia/Manila"],
  ["PST-8 MST-7", "America/Dawson_Creek America/Fort_Nelson America/Whitehorse Canada/Yukon"],
  ["PST-8 MST-7 MDT-6", "America/Inuvik"],
  ["PST-8 PDT-7", "America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana"],
  ["PST-8 PDT-7", "America/Vancouver Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific"],
  ["SAST+2", "Africa/Johannesburg Africa/Maseru Africa/Mbabane"],
  ["SST-11", "Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa"],
  ["UTC+0", "Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT Universal Zulu"],
  ["WAT+1", "Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos"],
  ["WAT+1", "Africa/Libreville Africa/Luanda Africa/Malabo Africa/Niamey Africa/Porto-Novo"],
  ["WAT+1 CAT+2", "Africa/Windhoek"],
  ["WAT+1 WAST+2", "Africa/Ndjamena"],
  ["WEST+1", "Atlantic/Azores"],
  ["WET+0 CET+1 CEST+2", "Africa/Algiers Africa/Ceuta"],
  ["WET+0 WEST+1", "Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira WET"],
  ["WET+0 WEST+1 CEST+2", "Europe/Lisbon Portugal"],
  ["WIB+7", "Asia/Jakarta"],
  ["WIB+7 WITA+8", "Asia/Pontianak"],
  ["WIT+9", "Asia/Jayapura"],
  ["WITA+8", "Asia/Makassar Asia/Ujung_Pandang"],
  ["YST-9 PST-8 MST-7", "America/Dawson"],
];

const named = /* @__PURE__ */ new Map<string, ReadonlyMap<number, string>>();

/** Returns the zone for a name in a mapping: `UTC` (or an empty name), `Local`, or a name of the IANA database. */
export function zoneNamed(name: string): string {
  if (name === "" || name === "UTC") return "UTC";
  if (name === "Local") return localZone();
  if (abbreviationTable().has(name) || isCanonical(name)) return name;
  const forbidden = name.includes("..") || name.startsWith("/") || name.includes("\\");
  const reason = forbidden ? "time: invalid location name" : `unknown time zone ${name}`;
  throw new MappingError(`failed to parse timezone location name: ${reason}`);
}

/** Returns a zone with a fixed offset in seconds east of UTC. `name`: its abbreviation; may be empty. */
export function fixedZone(offset: number, name: string): string {
  const magnitude = Math.abs(offset);
  const parts = [magnitude / 3600, (magnitude / 60) % 60, magnitude % 60];
  const clock = parts.map((part) => padded(Math.trunc(part), 2)).join(":");
  return `${offset < 0 ? "-" : "+"}${clock}${name === "" ? "" : ` ${name}`}`;
}

/** Returns the abbreviation of `zone` at `seconds` since 1970: `CEST`, `+03`. Empty if only the offset is known. */
export function zoneAbbreviation(zone: string, seconds: number): string {
  if (zone === "UTC") return "UTC";
  if (isFixed(zone)) return zone.slice(zone.indexOf(" ") + 1 || zone.length);
  const offset = zoneOffset(zone, seconds);
  const known = abbreviationTable().get(zone)?.get(offset);
  if (known !== undefined) return known;
  // Before zones were introduced, each place had its own local mean time.
  if (offset % 900 !== 0) return "LMT";
  const digits = formatOffset(offset, "");
  return digits.endsWith("00") ? digits.slice(0, 3) : digits;
}

/** Returns the offset of `abbreviation` in the zone of the process when its clocks show `seconds`. */
export function localOffset(abbreviation: string, seconds: number): number | undefined {
  const zone = localZone();
  const offsets = [...(abbreviationTable().get(zone) ?? [])]
    .filter(([, name]) => name === abbreviation)
    .map(([offset]) => offset);
  return offsets.find((offset) => zoneAbbreviation(zone, seconds - offset) === abbreviation) ?? offsets[0];
}

function isFixed(zone: string): boolean {
  return zone.startsWith("+") || zone.startsWith("-");
}

/** Whether `name` is the exact name of a zone that was added after the table was made. */
function isCanonical(name: string): boolean {
  if (isFixed(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone === name;
  } catch (error) {
    // The only way to find out whether a zone exists is to use it.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function abbreviationTable(): ReadonlyMap<string, ReadonlyMap<number, string>> {
  if (named.size > 0) return named;
  for (const [abbreviations, zones] of zoneTable) {
    const byOffset = new Map(abbreviations.split(" ").flatMap(parseAbbreviation));
    for (const zone of zones.split(" ")) named.set(zone, byOffset);
  }
  return named;
}

/** Parses an abbreviation such as `NST-3:30`. */
function parseAbbreviation(text: string): readonly (readonly [offset: number, name: string])[] {
  const [, name, sign, hours, minutes = "0", seconds = "0"] =
    /^(\w+?)([+-])(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text) ?? [];
  if (name === undefined) return [];
  const magnitude = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return [[sign === "-" ? -magnitude : magnitude, name]];
}
