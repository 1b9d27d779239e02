-- Drives `sluice lsp` in Neovim: SLUICE_COMMAND is a JSON list, SLUICE_FILE the document; what Neovim got is written to SLUICE_RESULT.

local command = vim.fn.json_decode(vim.env.SLUICE_COMMAND)
local client = vim.lsp.start_client({ name = "sluice", cmd = command, root_dir = vim.fn.fnamemodify(vim.env.SLUICE_FILE, ":h") })
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.SLUICE_FILE))
local buffer = vim.api.nvim_get_current_buf()
vim.lsp.buf_attach_client(buffer, client)

local result = {}
local limit = 60000

local function lines()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

-- The place of the first character behind `part`.
local function behind(part)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local _, finish = line:find(part, 1, true)
    if finish then return { line = number - 1, character = finish } end
  end
end

local function ask(method, position, more)
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = position }
  local answers = vim.lsp.buf_request_sync(buffer, method, vim.tbl_extend("force", parameters, more or {}), limit)
  return answers and answers[client] and answers[client].result
end

vim.wait(limit, function() return #vim.diagnostic.get(buffer) > 0 end)
result.diagnostics = vim.tbl_map(function(found) return { message = found.message, line = found.lnum } end, vim.diagnostic.get(buffer))

-- Mended as somebody types it: the diagnostics go.
local wrong = behind("uper")
vim.api.nvim_buf_set_text(buffer, wrong.line, wrong.character - 4, wrong.line, wrong.character, { "uppercase" })
result.mended = vim.wait(limit, function() return #vim.diagnostic.get(buffer) == 0 end)

result.hover = ask("textDocument/hover", behind("$na")).contents.value
local items = ask("textDocument/completion", behind("$name.up")).items
result.completion = vim.tbl_map(function(item) return item.label end, items)

local rename = ask("textDocument/rename", behind("let na"), { newName = "other" })
vim.lsp.util.apply_workspace_edit(rename, "utf-16")
result.renamed = lines()

local edits = ask("textDocument/formatting", nil, { options = { tabSize = 2, insertSpaces = true } })
vim.lsp.util.apply_text_edits(edits, buffer, "utf-16")
result.formatted = lines()

vim.fn.writefile({ vim.fn.json_encode(result) }, vim.env.SLUICE_RESULT)
vim.lsp.stop_client(client)
vim.cmd("qall!")
