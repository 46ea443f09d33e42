// npm's wallabag-api through its own methods: node wallabag_api.cjs MODULES ADDRESS TOKEN PAGE
const [modules, address, token, page] = process.argv.slice(2);
// as if in a browser: its own choice of fetch for Node is from before Node had one
const { WallabagApi } = require(require.resolve("wallabag-api", { paths: [modules] }));

async function main() {
  const told = {};
  const api = new WallabagApi({ url: `${address}/wallabag`, clientId: "1_kept", clientSecret: "kept" });
  told.version = await api.getApiVersion();
  told.refused = await api.getApplicationToken("anybody", "wrong").catch((error) => error);
  const tokens = await api.getApplicationToken("anybody", token);
  told.expires = tokens.expires_in;
  told.refreshed = (await api.refreshToken()).token_type;
  let ids = [];
  for (let number = 1, pages = 1; number <= pages; number += 1) {
    const list = await api.getArticles({ page: number, perPage: 30, archived: 0, sort: "created", order: "asc" });
    pages = list.pages;
    ids = ids.concat(list._embedded.items.map((item) => item.id));
  }
  told.listed = ids.length;
  told.past = await api.getArticles({ page: 99 }).catch((error) => error);
  const saved = await api.saveArticle(page);
  told.same = (await api.saveArticle(page)).id === saved.id;
  told.exists = await api.entryExists(page);
  await api.saveTitle(saved.id, "Titled");
  await api.saveStarred(saved.id, true);
  await api.saveArchived(saved.id, 1);
  await api.saveTags(saved.id, "a,b");
  await api.addTags(saved.id, "c");
  const changed = await api.removeTags(saved.id, "a");
  told.changed = {
    title: changed.title, starred: changed.is_starred, archived: changed.is_archived,
    tags: changed.tags.map((tag) => tag.label),
  };
  told.tags = (await api.getArticleTags(saved.id)).length;
  told.all = (await api.getAllTags()).length;
  told.deleted = (await api.deleteArticle(saved.id)).url === page;
  told.gone = await api.getArticle(saved.id).catch((error) => error);
  console.log(JSON.stringify(told));
}

main().catch((error) => { console.error(error); process.exit(1); });
