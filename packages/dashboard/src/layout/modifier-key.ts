/** The key that shortcuts are pressed with, as it is written on the keyboard in front of this browser. */
import { text } from '../messages/text.ts'

export const MODIFIER_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : text.frame.ctrl
