"""The scripts that Redis runs: each checks and changes a stream at once."""

from __future__ import annotations

__all__ = ["APPEND", "CANCEL", "CLAIM", "CREATE"]

# KEYS: state, log; ARGV: epoch, number of the first event, count, end, payload, milliseconds to live, channel
# The answer is a word, or the number from which on the caller has to repeat.
APPEND = """
local state = redis.call('HMGET', KEYS[1], 'epoch', 'next', 'end')
if not state[1] then return 'gone' end
if state[1] ~= ARGV[1] then return 'fenced' end
local first, count, next = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(state[2])
if first > next then return 'gap' end
local is_known = first + count <= next
if state[3] then
  if is_known and (ARGV[4] == '' or ARGV[4] == state[3]) then return 'ok' end
  return 'over'
end
if is_known and ARGV[4] == '' then return 'ok' end
if first < next then return next end
local last = first + count
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'end', ARGV[4]) else last = last - 1 end
redis.call('XADD', KEYS[2], ARGV[1] .. '-' .. last, 'b', ARGV[5])
redis.call('HSET', KEYS[1], 'next', first + count)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
redis.call('PUBLISH', ARGV[7], ARGV[5])
return 'ok'
"""
# KEYS: state; ARGV: meta, worker, epoch, milliseconds to live
CREATE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'meta', ARGV[1], 'worker', ARGV[2], 'epoch', ARGV[3], 'next', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
"""
# KEYS: state; ARGV: epoch, worker
CLAIM = """
local state = redis.call('HMGET', KEYS[1], 'epoch', 'end')
if state[1] ~= ARGV[1] or state[2] then return 0 end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1] + 1, 'worker', ARGV[2])
return 1
"""
# KEYS: state; ARGV: channel
CANCEL = """
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'end') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'cancelled', '1')
redis.call('PUBLISH', ARGV[1], '')
return 1
"""
