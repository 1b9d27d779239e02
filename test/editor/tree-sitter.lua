-- Parses texts in Neovim: SLUICE_PARSERS names a shared object for each language, SLUICE_TASKS the texts, and what was read goes to SLUICE_RESULT.

for language, path in pairs(vim.fn.json_decode(vim.env.SLUICE_PARSERS)) do
  vim.treesitter.require_language(language, path)
end

local results = {}
for index, task in ipairs(vim.fn.json_decode(table.concat(vim.fn.readfile(vim.env.SLUICE_TASKS), "\n"))) do
  local root = vim.treesitter.get_string_parser(task.text, task.language):parse()[1]:root()
  local result = { error = root:has_error(), tree = root:sexpr(), captures = {} }
  if task.query ~= vim.NIL then
    local query = vim.treesitter.parse_query(task.language, task.query)
    for id, node in query:iter_captures(root, task.text, 0, -1) do
      local _, _, start = node:start()
      local _, _, stop = node:end_()
      table.insert(result.captures, { name = query.captures[id], start = start, stop = stop })
    end
  end
  results[index] = result
end
vim.fn.writefile({ vim.fn.json_encode(results) }, vim.env.SLUICE_RESULT)
vim.cmd("qall!")
