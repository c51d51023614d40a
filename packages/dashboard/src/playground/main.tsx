// These style sheets are imported first, so that component and page styles override them.
import '@fontsource-variable/inter/wght.css'
import '../design/tokens.css'
import '../design/base.css'

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Playground } from './page.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <Playground />
  </StrictMode>,
)
