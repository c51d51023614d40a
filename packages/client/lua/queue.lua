-- Messages waiting for a heartbeat, in order.
--   queue(room, most)       room: bytes of JSON that fit into a heartbeat; most: messages per heartbeat
--     .count                number of waiting messages
--     .add(message, size)   size: bytes of its JSON; returns a table for it, or nil if it is larger than a heartbeat
--     .drop(isUnwanted)     removes the messages whose table meets the condition
--     .next()               messages for one heartbeat; nil when none are waiting
--     .sent(count)          removes that many sent messages and returns their tables
local min, remove = math.min, table.remove

-- Bytes reserved for the rest of a heartbeat's JSON.
local REST = 200

return function(room, most)
  local waiting, queue = {}, { count = 0 }

  function queue.add(message, size)
    if size + REST > room then return nil end
    local one = { message = message, size = size }
    queue.count = queue.count + 1
    waiting[queue.count] = one
    return one
  end

  function queue.drop(isUnwanted)
    local kept = {}
    for i = 1, queue.count do
      if not isUnwanted(waiting[i]) then kept[#kept + 1] = waiting[i] end
    end
    waiting, queue.count = kept, #kept
  end

  function queue.next()
    local messages, size = {}, REST
    for i = 1, min(queue.count, most) do
      size = size + waiting[i].size + 1
      if i > 1 and size > room then break end
      messages[i] = waiting[i].message
    end
    return messages[1] and messages
  end

  function queue.sent(count)
    local gone = {}
    for i = 1, count do gone[i] = remove(waiting, 1) end
    queue.count = queue.count - count
    return gone
  end

  return queue
end
