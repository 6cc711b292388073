import { expect, test } from "vitest";
import { readPython } from "./read-python.js";

test.each([
  `import json; print(json.load(open('a/b.json'))['x'])`,
  `import json,sys; d=json.load(sys.stdin); print(len(d), d.get('a'))`,
  `import pandas as pd\ndf = pd.read_csv('data/x.csv', parse_dates=['date'])\nprint(df.groupby(df['date'].dt.month)['sales'].mean())`,
  `import torch; print(torch.__version__, torch.cuda.is_available())`,
  `with open('out.ppm','rb') as f:\n    print(f.readline())`,
  `from collections import Counter\nimport re\nc=Counter(re.findall(r'\\w+', open('a.txt', encoding='utf-8').read()))\nfor k, v in c.most_common(5): print(f"{k:>10} {v}")`,
  `print(1+1)`,
  `import json; print([x['a'] for x in json.load(open("a.json"))])`,
])("%s is a look", (code) => {
  expect(readPython(code)).toBeDefined();
});

test("names the files that it reads", () => {
  expect(readPython("import json; json.load(open('a/b.json')); open('c.txt', 'rb').read()")).toEqual({
    reads: ["a/b.json", "c.txt"],
  });
});

test.each([
  `import os; os.system('id')`,
  `open('.env').read()`,
  `print(open('.e'+'nv').read())`,
  `open('a','w').write('x')`,
  `open('a','r' '+').write('x')`,
  `open('a', 'r' if 0 else 'w')`,
  `open('a', encoding='x', mode='w')`,
  `open('/etc/passwd')`,
  `open('../x')`,
  `__import__('os').system('id')`,
  `import json; json.codecs.open('.env')`,
  `1.0.__class__.__base__.__subclasses__()`,
  `(1).__class__`,
  `eval('1')`,
  `getattr(1,'x')`,
  `import sys; sys.modules['os'].system('x')`,
  `import sys; sys.path.insert(0,'/tmp'); import x`,
  `import pandas as pd; pd.read_csv('http://x/y')`,
  `import pandas as pd; pd.read_csv(p)`,
  `import pandas as pd; pd.DataFrame().to_csv('x')`,
  `import pandas as pd; pd.DataFrame().apply('to_csv')`,
  `from os import system`,
  `import sys\nT=type(sys)\nmatch sys:\n  case T(modules=m): print(m)`,
  `import sys; print("{0.modules[os].environ}".format(sys))`,
  `import torch as json; json.load(open('a','rb'))`,
  `json=1; json.load(2)`,
  `import socket`,
  `f"{eval('1')}"`,
  `f"{open('.env')}"`,
  `@eval\ndef f(): pass`,
  `class A: pass`,
  `# coding: utf-7\nprint(1)`,
  `x=open`,
  `x=open\nx('.env')`,
  `import numpy as np; np.array([1]).dump('x')`,
  `print(open('\\x2eenv').read())`,
  `import\tos`,
  `import json, os`,
  `from json import codecs`,
  `import json;import os`,
  `if 1: import os`,
  `exec("x")`,
  `p='.env'\nprint(open(p).read())`,
  `import json as j, os as k`,
  `for open in []: pass`,
  `open("id_rsa").read()`,
  `open("a" ".env")`,
  `import pandas.io.common`,
  `from . import x`,
  `help()`,
  `lambda: eval`,
  `ｅval('1')`,
  `import json\nfrom json import load as l`,
  `open('a', 'r', opener=f)`,
  `raise x from eval`,
  `yield from os`,
])("%s is no look", (code) => {
  expect(readPython(code)).toBeUndefined();
});
