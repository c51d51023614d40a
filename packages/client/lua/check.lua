-- Checks a key, and trusts only answers that the server signed for this exact question (client protocol §19).
-- The calling program sends the question and receives the answer.
--   check.question(asked)                            asked: project_id, key, fingerprint, claim, nonce; the body
--                                                    to POST to {client_url}/check, and the state for `open`
--   check.open(question, text, signature, keys)      the answer as a table, or nil and the reason
--   check.component(project_id, value)               the identifier of a device within one project
local words, hash, verify, base64, json = ...
local known = words.known
local check = {}
local concat = table.concat

-- Some hosts have neither files nor a clock, and some abort a program at its first error, even inside a
-- pcall.
local function randomBytes()
  local files = known(function() return io end)
  local file = files and files.open('/dev/urandom', 'rb')
  local bytes = file and file:read(32)
  if file then file:close() end
  return bytes
end

local function nonce()
  local clock = known(function() return os end) or {}
  local parts = {
    tostring({}),
    tostring(math.random()),
    tostring(clock.time and clock.time()),
    tostring(clock.clock and clock.clock()),
    tostring(known(randomBytes)),
  }
  return base64.encode(hash.sha256(concat(parts, '\0')):sub(1, 24))
end

function check.question(asked)
  local question = {
    project_id = asked.project_id,
    key = asked.key,
    fingerprint = asked.fingerprint,
    claim = asked.claim == true,
    nonce = asked.nonce or nonce(),
  }
  return assert(json.encode(question)), question
end

local function isSigned(text, signature, keys)
  local encoded = type(signature) == 'string' and signature:match('^ed25519=([%w_-]+)$')
  local bytes = encoded and base64.decode(encoded)
  for i = 1, bytes and #keys or 0 do
    local public = base64.decode(keys[i])
    if public and verify(public, 'lp1 check\0' .. text, bytes) then return true end
  end
  return false
end

function check.open(question, text, signature, keys)
  if not isSigned(text, signature, keys) then return nil, 'the response is not signed by a known key' end
  local answer = json.decode(text)
  local parts = { 'lp1 asked', question.project_id, question.key, question.fingerprint or '', question.nonce }
  local asked = base64.encode(hash.sha256(concat(parts, '\0')))
  if type(answer) ~= 'table' or answer.nonce ~= question.nonce or answer.asked ~= asked then
    return nil, 'the response belongs to a different request'
  end
  return answer
end

function check.component(project_id, value)
  return base64.encode(hash.sha256(concat({ 'lp1 fp', project_id, 'machine_id', value }, '\0')):sub(1, 16))
end

return check
