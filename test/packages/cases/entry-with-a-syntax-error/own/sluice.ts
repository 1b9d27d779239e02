export default {
  contract: 1,
  components: [,
