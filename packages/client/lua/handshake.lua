-- Derives the keys of one handshake, and encrypts and decrypts with them, as specified in client protocol §8.
-- Does not depend on the contents or transport of messages.
--   handshake(boot, static, entropy)   boot: { kid, boot, ek } as served; static: the server's public key, 32 bytes
--     .request(text)                   the body of /exec around an encrypted hello
--     .reply(body)                     text, payload box; nothing if it was not encrypted for this handshake
--     .session(gn)                     the keys of the payload, heartbeats, session and leases, 32 bytes each
local hash, curve, cipher, base64 = ...
local match, gsub, sub, byte, char = string.match, string.gsub, string.sub, string.byte, string.char
local error = error

local SUITE = 'LP1_X25519_ChaChaPoly_SHA256'

local function fromHex(text)
  return (gsub(text, '%x%x', function(digits)
    return char(tonumber(digits, 16))
  end))
end

local function agree(secret, public)
  local shared = curve.x25519(secret, public)
  -- A point of small order would make the keys predictable.
  if not shared then error('scriptward: the server sent an invalid key', 0) end
  return shared
end

-- Splits a reply, as text or bytes, into its box and the payload box. In bytes, a four-byte length comes
-- first.
local function boxes(body)
  local box, payload = match(body, '^lp1%.([%w_-]+)%.?([%w_-]*)%s*$')
  if box then return base64.decode(box), payload ~= '' and base64.decode(payload) or nil end
  local a, b, c, d = byte(body, 1, 4)
  local last = d and ((a * 256 + b) * 256 + c) * 256 + d + 4
  if last and last <= #body then return sub(body, 5, last), #body > last and sub(body, last + 1) or nil end
end

return function(boot, static, entropy)
  local secret = hash.sha256('lp1 eph' .. entropy)
  local ep = curve.x25519(secret, curve.base)
  local ek = base64.decode(boot.ek)
  local h = hash.sha256(SUITE .. fromHex(boot.kid) .. base64.decode(boot.boot) .. ek .. ep)
  local prk = hash.hmac(h, agree(secret, static) .. agree(secret, ek))
  local keys = hash.expand(prk, 'lp1 handshake', 64)
  local handshake = {}

  function handshake.request(text)
    local box = base64.encode(cipher.seal(sub(keys, 1, 32), 0, h, text))
    return 'lp1.' .. boot.kid .. '.' .. boot.boot .. '.' .. base64.encode(ep) .. '.' .. box
  end

  function handshake.reply(body)
    local box, payload = boxes(body)
    local text = box and cipher.open(sub(keys, 33, 64), 0, h, box)
    if text then return text, payload end
  end

  function handshake.session(gn)
    local session = hash.expand(prk, 'lp1 session' .. gn, 128)
    return sub(session, 1, 32), sub(session, 33, 64), sub(session, 65, 96), sub(session, 97)
  end

  return handshake
end
