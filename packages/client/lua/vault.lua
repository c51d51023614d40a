-- Keys and key streams of the locked parts of a script (client protocol, Locks). Keys arrive with the grant,
-- or with heartbeats that requested them. The caller decides whether the keys may still be used.
--   vault(locks, lease, exec)   locks: the grant's `locks` field; lease: 32 bytes
--     .has(lock)                whether the key of a lock is available
--     .pad(lock, size)          the lock's key stream, if its key is available
--     .take(reply)              stores keys from the decrypted answer to a heartbeat
--     .drop()                   discards the keys from heartbeats
local hash, cipher, base64 = ...
local format, rep = string.format, string.rep
local pairs, tonumber = pairs, tonumber

return function(locks, lease, exec)
  local all = locks.all and base64.decode(locks.all)
  local cold = locks.cold and base64.decode(locks.cold)
  local keys, pads = { [0] = cold }, {}
  local vault = {}

  function vault.has(lock)
    return all ~= nil or keys[lock] ~= nil
  end

  function vault.pad(lock, size)
    if not pads[lock] then
      local key = keys[lock] or hash.hmac(all, 'lp1 lock' .. format('%d', lock))
      pads[lock] = cipher.stream(key, rep('\0', 12), 1, rep('\0', size))
    end
    return pads[lock]
  end

  function vault.take(reply)
    local secret = hash.hmac(lease, base64.decode(reply.r))
    for name, box in pairs(reply.leases) do
      local lock = tonumber(name)
      keys[lock] = cipher.open(secret, lock, 'lp1 lease' .. exec, base64.decode(box))
    end
  end

  function vault.drop()
    keys, pads = { [0] = cold }, {}
  end

  return vault
end
