import { text } from '../../../messages/text.ts'

const GUIDE = '/guide/ask'

export function GuideLink() {
  return <a href={GUIDE}>{text.functions.guide}</a>
}
