/** Every part in each of its states, for those who change one. It is in no menu: `#/catalogue`. */
import { PageTitle } from '../../parts/page-title.tsx'
import { text } from '../../text/text.ts'
import { Code } from './code.tsx'
import { Controls } from './controls.tsx'
import { Figures } from './figures.tsx'
import { Lists } from './lists.tsx'
import { Overlays } from './overlays.tsx'

export function CataloguePage() {
  return (
    <>
      <PageTitle title={text.catalogue.title} intro={text.catalogue.intro} />
      <Controls />
      <Lists />
      <Figures />
      <Code />
      <Overlays />
    </>
  )
}
