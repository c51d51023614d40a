-- What waits for a beat, in its order.
--   queue(room, most)       room: bytes of JSON that one beat may have; most: how many go with one
--     .count                how many wait
--     .add(message, size)   bytes of its JSON; a table for it, or nil when it fits into no beat
--     .next()               messages for one beat; nil when none wait
--     .sent(count)          so many are on their way: their tables
local min, remove = math.min, table.remove

-- Of JSON beside the messages.
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
