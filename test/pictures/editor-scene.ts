// Pictures of a document in editors: Neovim with the language server, captured from a terminal, and VS Code's colours.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTokenizer } from "../editor/scopes.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { findNeovim } from "../harness/editors.ts";
import { run } from "../harness/processes.ts";
import type { Scene } from "./scene.ts";
import { fromTerminal, inColours, pageOf } from "./styled-text.ts";

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths:
  /new:
    post:
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Order" }
      responses: { "200": { description: Taken } }
components:
  schemas:
    Order:
      type: object
      properties:
        id: { type: string }
        state: { type: string, enum: [open, paid] }
        quantity: { type: integer }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new } }
      pipeline:
        processors:
          - mapping: |
              root = this.without("note") # what the shop adds
              root.name = this.id.upercase()
              root.kind = this
      output:
        kafka: { addresses: ["\${KAFKA:localhost:9092}"], topic: 'orders-\${! this.state }' }
`;

/** The start-up script of Neovim. */
const settings = (command: readonly string[]) => `
vim.o.number = true
vim.o.swapfile = false
vim.o.completeopt = "menu"
vim.o.pumheight = 12
vim.o.hlsearch = false
vim.cmd("syntax on | filetype on")
vim.cmd("hi Pmenu ctermfg=252 ctermbg=237 | hi PmenuSel ctermfg=231 ctermbg=24 | hi SignColumn ctermbg=none")
vim.api.nvim_create_autocmd("BufEnter", { callback = function()
  local client = vim.lsp.start_client({ name = "sluice", cmd = vim.fn.json_decode([==[${JSON.stringify(command)}]==]), root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, client)
  vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
end })
`;

/** The pictures of editors. */
export async function editorScene(): Promise<Scene> {
  const terminal = await startNeovim();
  return {
    views: [
      {
        name: "editor-neovim",
        async show(page) {
          await page.setContent(pageOf(fromTerminal(await terminal.capture("a diagnostic", /■/))));
        },
      },
      {
        name: "editor-neovim-completion",
        async show(page) {
          // After `this`: a dot, and the completions of the language server.
          await terminal.keys("/kind = this", "Enter", "A", ".", "C-x", "C-o");
          await page.setContent(pageOf(fromTerminal(await terminal.capture("a menu", /quantity +\w+/))));
        },
      },
      {
        name: "editor-vscode-colours",
        async show(page) {
          const tokenize = await startTokenizer();
          await page.setContent(pageOf(inColours(await tokenize(document, "source.yaml"))));
        },
      },
    ],
    close: () => terminal.close(),
  };
}

const width = 110;
const height = 34;
/** Milliseconds between two reads of the screen, and the maximum number of reads. */
const pause = 200;
const looks = 300;

async function startNeovim() {
  const folder = temporaryDirectory("editor-pictures");
  const [file, init] = [join(folder, "orders.yaml"), join(folder, "init.lua")];
  writeFileSync(file, document);
  writeFileSync(init, settings([process.execPath, join(projectRoot, "bin/sluice.js"), "lsp"]));
  const socket = join(folder, "tmux");
  const tmux = async (...args: string[]) => {
    const { status, stdout, stderr } = await run("tmux", ["-S", socket, ...args], { cwd: folder });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const size = ["-x", String(width), "-y", String(height)];
  const command = `env XDG_STATE_HOME=${folder} XDG_DATA_HOME=${folder} ${findNeovim()} -u ${init} -i NONE ${file}`;
  await tmux("-f", "/dev/null", "new-session", "-d", ...size, command);
  return {
    keys: async (...keys: string[]) => {
      for (const key of keys) await tmux("send-keys", key);
    },
    /** Resolves with the screen and its colours, when it shows the expected text. */
    async capture(what: string, expected: RegExp): Promise<string> {
      for (let look = 0; look < looks; look++) {
        if (expected.test(await tmux("capture-pane", "-p"))) return tmux("capture-pane", "-e", "-p");
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      throw new Error(`Neovim does not show ${what}:\n${await tmux("capture-pane", "-p")}`);
    },
    close: async () => {
      await tmux("kill-server");
    },
  };
}
