/** The label of the shortcut modifier on this platform's keyboard. */
import { text } from '../messages/text.ts'

export const MODIFIER_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : text.frame.ctrl
