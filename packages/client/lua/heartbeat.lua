-- The heartbeat ratchet (client protocol §11). Each accepted heartbeat moves both sides to the next key. An
-- unanswered heartbeat is resent unchanged, so that no key ever encrypts two different messages. `live.lua`
-- decides when a heartbeat is due.
--   heartbeat(exec, key, send)   send(path, body, seconds): status, answer
--     .beat(message, seconds)    the decrypted answer, or nil if no valid one arrived within that time, if given;
--                                and whether `message` was sent: not if an earlier heartbeat was resent
--     .finish(message, seconds)  reports the end of the script to the server, within that many seconds
--     .chance()                  a number in [0, 1) that an observer cannot predict
local hash, cipher, base64, json = ...
local byte, sub, match, format = string.byte, string.sub, string.match, string.format

return function(exec, key, send)
  local count, pending = 0, nil

  local function seal(keys, kind, counter, message)
    local n = format('%d', count)
    local text = json.encode(message)
    return 'lp1.' .. exec .. '.' .. n .. '.'
      .. base64.encode(cipher.seal(sub(keys, 1, 32), counter, 'lp1 ' .. kind .. exec .. n, text))
  end

  local function prepare(message)
    count = count + 1
    local keys = hash.expand(key, 'lp1 beat', 64)
    pending = { keys = keys, body = seal(keys, 'beat', 0, message) }
  end

  -- The answer to a copied run uses its own counter, because counter 0 already encrypted the answer to the other
  -- copy.
  local function open(answer)
    local box = base64.decode(match(answer or '', '^lp1%.([%w_-]+)%s*$') or '')
    for counter = 0, 2, 2 do
      local text = box and cipher.open(sub(pending.keys, 33), counter, 'lp1 beat' .. exec .. format('%d', count), box)
      if text then return json.decode(text) end
    end
  end

  local heartbeat = {}

  function heartbeat.beat(message, seconds)
    local carried = not pending
    if carried then prepare(message) end
    local status, answer = send('/beat', pending.body, seconds)
    local reply = status == 200 and open(answer)
    if not reply then return nil, carried end
    if reply.ok then
      key = hash.hmac(key, 'lp1 step' .. base64.decode(reply.r))
      pending = nil
    end
    return reply, carried
  end

  function heartbeat.finish(message, seconds)
    if not pending then prepare(message) end
    send('/end', seal(pending.keys, 'end', 1, message), seconds)
  end

  function heartbeat.chance()
    return byte(key) / 256
  end

  return heartbeat
end
