/** Label of the shortcut modifier key on this platform. */
import { text } from '../messages/text.ts'

export const MODIFIER_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : text.frame.ctrl
