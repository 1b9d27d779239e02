// The branding of an organisation's portal: its validation and the style sheet that results from it.

import { refusal } from "../../rest/answers.ts";
import type { Branding } from "../generated/branding.ts";

const mostLogoBytes = 64 * 1024;

/**
 * The colours next to which texts appear in `pages/kit/style/tokens.css`. WCAG 2.2, 1.4.3, requires a contrast of 4.5.
 */
const least = 4.5;
const surfaces: readonly (readonly [field: "accent" | "accent_dark" | "side", other: string])[] = [
  ["accent", "#eef2f5"],
  ["accent_dark", "#1a2128"],
  ["side", "#9db4bf"],
];

/** Throws 422 if a colour lacks contrast or the logo is not a picture. */
export function checkBranding(branding: Branding): void {
  const errors = surfaces.flatMap(([field, other]) => {
    const colour = branding[field];
    if (colour === undefined || contrastOf(colour, other) >= least) return [];
    const found = contrastOf(colour, other).toFixed(1);
    return [`${field}: its contrast with ${other} is ${found}, and ${least} is needed to read it`];
  });
  const { logo = "" } = branding;
  if (logo !== "") errors.push(...problemsOfLogo(logo));
  if (errors.length > 0) throw refusal(422, "Branding object validation failed.", errors);
}

function problemsOfLogo(logo: string): readonly string[] {
  const bytes = Buffer.from(logo, "base64");
  if (bytes.toString("base64") !== logo) return ["logo: must be base64"];
  if (bytes.length > mostLogoBytes) return ["logo: must have 64 KiB or less"];
  return typeOfImage(bytes) === undefined ? ["logo: must be a PNG, JPEG or WebP picture"] : [];
}

/**
 * Returns the media type of a picture by its first bytes
 * (https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern). SVG is not supported, because it can contain
 * scripts and load files.
 */
function typeOfImage(bytes: Buffer): string | undefined {
  const starts = (hex: string, at = 0) => bytes.subarray(at, at + hex.length / 2).toString("hex") === hex;
  if (starts("89504e470d0a1a0a")) return "image/png";
  if (starts("ffd8ff")) return "image/jpeg";
  return starts("52494646") && starts("57454250", 8) ? "image/webp" : undefined;
}

/** Returns the logo as a `data:` URL; empty if there is none. */
export function logoAddress({ logo = "" }: Branding): string {
  const type = typeOfImage(Buffer.from(logo, "base64"));
  return type === undefined ? "" : `data:${type};base64,${logo}`;
}

/** Returns the style sheet of a branding. Users who prefer more contrast see the default colours. */
export function brandStyle({ accent, accent_dark: dark, side, css = "" }: Branding): string {
  const own = (name: string, day: string | undefined, night: string | undefined) =>
    day === undefined && night === undefined
      ? []
      : [`--${name}: light-dark(${day ?? accentByDay}, ${night ?? accentByNight});`];
  const rules = [
    ...own("accent", accent, dark),
    ...own("accent-strong", accent, dark),
    ...(accent === undefined && dark === undefined ? [] : ["--accent-soft: var(--sunken);"]),
    ...(side === undefined ? [] : [`--side: ${side};`]),
  ];
  const colours =
    rules.length === 0 ? "" : `@media not (prefers-contrast: more) { :root { ${rules.join(" ")} } }\n`;
  return colours + css;
}

/** The colours in `pages/kit/style/tokens.css`. */
const accentByDay = "#0b6682";
const accentByNight = "#62c6de";

/** Returns the contrast ratio (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). */
function contrastOf(first: string, second: string): number {
  const [low = 0, high = 0] = [luminanceOf(first), luminanceOf(second)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminanceOf(colour: string): number {
  const part = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}
