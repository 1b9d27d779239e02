import { existsSync } from "node:fs";
import { type Browser, chromium as driver } from "playwright-core";
import { BrokerUnavailable } from "./brokers/broker.ts";
import { findProgram } from "./processes.ts";
import { patience } from "./wait.ts";

// Chromium reads only the last list of features, and this one comes after the driver's: what tests need of that is here.
const features = [
  // The address bar's suggestions are two pages of their own. No window shows them, but they take as much processor
  // time at the start as the browser itself, and some with every navigation.
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "PaintHolding"],
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "ThirdPartyStoragePartitioning"],
  ...["LensOverlay", "MediaRouter", "OptimizationHints", "NetworkTimeServiceQuerying", "PreconnectToSearch"],
];

const flags = [
  "--no-sandbox", // a container's root cannot have the sandbox
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  // Without these flags it contacts its vendor's servers, and a closed network refuses each connection.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${features.join()}`,
];

/** Returns the browser's path: `CHROMIUM_PATH`, or `chromium` or `chromium-browser` of the machine. */
export function findChromium(): string {
  const named = process.env.CHROMIUM_PATH;
  const path = named ?? findProgram("chromium") ?? findProgram("chromium-browser");
  if (path !== undefined && existsSync(path)) return path;
  throw new BrokerUnavailable(
    named === undefined ? "chromium is not installed (Debian package chromium)" : `${named} does not exist`,
  );
}

/** Starts headless Chromium with its own profile; close it with `browser.close()`. */
export async function chromium(): Promise<Browser> {
  const browser = await driver.launch({ executablePath: findChromium(), args: flags, headless: true });
  // A loaded machine must not reach the limit of a wait: it only bounds broken tests.
  browser.on("context", (context) => context.setDefaultTimeout(patience));
  return browser;
}
