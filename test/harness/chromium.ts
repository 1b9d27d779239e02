import { existsSync } from "node:fs";
import { type Browser, chromium as driver } from "playwright-core";
import { BrokerUnavailable } from "./brokers/broker.ts";
import { findProgram } from "./processes.ts";

const flags = [
  "--no-sandbox", // a container's root cannot have the sandbox
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  // Without these it looks for its maker's servers, which a closed network refuses one by one.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The browser's path: `CHROMIUM_PATH`, else `chromium` or `chromium-browser` of the machine. */
export function findChromium(): string {
  const named = process.env.CHROMIUM_PATH;
  const path = named ?? findProgram("chromium") ?? findProgram("chromium-browser");
  if (path !== undefined && existsSync(path)) return path;
  throw new BrokerUnavailable(
    named === undefined ? "chromium is not installed (Debian package chromium)" : `${named} does not exist`,
  );
}

/** Starts headless Chromium with a profile of its own; close it with `browser.close()`. */
export function chromium(): Promise<Browser> {
  return driver.launch({ executablePath: findChromium(), args: flags, headless: true });
}
