/** Tests the Discord page in each state and look. */
import { discordRoom } from './discord-room.ts'
import { inspectEach } from './inspect.ts'
import { roomsOfDiscord } from './looks-of-discord.ts'

const room = await discordRoom()
inspectEach(room.stage, roomsOfDiscord(room))
