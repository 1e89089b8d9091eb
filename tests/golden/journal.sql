BEGIN TRANSACTION;
CREATE TABLE remit_answers (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (run, epoch, number, start)
);
CREATE TABLE remit_artifact_contents (
	digest TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (digest)
);
CREATE TABLE remit_artifacts (
	digest TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (digest, tenant, principal, application, conversation, run)
);
CREATE TABLE remit_conversations (
	id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	target TEXT NOT NULL, 
	given_title TEXT NOT NULL, 
	first_message TEXT NOT NULL, 
	shared TEXT NOT NULL, 
	deletion TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	active FLOAT NOT NULL, 
	first TEXT NOT NULL, 
	latest TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (id)
);
INSERT INTO "remit_conversations" VALUES('a66d30bdcb0aea1e0bc9663153c4cf2e','default','golden','words','ada','','','Keep bread.','{}','',1800000001.0,1800000054.0,'first','third',X'DCE56C39748BC0FC288C37FF1EB1476A93432D3D70BAADB91BAEDCA2C6FC9B71');
CREATE TABLE remit_grants (
	grant TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	given FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	count INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	revoked TEXT NOT NULL, 
	body TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (grant)
);
CREATE TABLE remit_items (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	kind TEXT NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	chain BLOB NOT NULL, 
	PRIMARY KEY (run, seq)
);
INSERT INTO "remit_items" VALUES('first',0,1,1800000001.0,'opened','first','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Keep bread.\"}","conversation":"words","after":""}',X'FFB4A9FEA57B6E67F654F34BCFED217A9DE70CEB4A7FB51178762E7BC59D7521',X'47432EB9C4139CFBE16B24B221814571878A53B25B10F511240E18C0175CE782');
INSERT INTO "remit_items" VALUES('first',1,1,1800000003.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}"}',X'E53820566CA6926F33B488F013C434CFFD1FB5D236952756941962D4C32C7F62',X'6C17F02C193E69336D9E9576A775BB86F168889047B9400816DD7B8F456F1B56');
INSERT INTO "remit_items" VALUES('first',2,1,1800000004.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"user\",\"content\":\"Keep bread.\"}"}',X'B5C99572FDC310D5B569DF3E178164A6B698B61E6A9E533F7C2260E486883A8C',X'062F883F22914CB793E925BBC95F880132ED9395458ECC149533FA78FC758D91');
INSERT INTO "remit_items" VALUES('first',3,1,1800000005.0,'message','a53770a3ec330c60929d5aa090b6075f:1','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_look\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_1_save\",\"type\":\"function\",\"function\":{\"name\":\"save\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_2_move\",\"type\":\"function\",\"function\":{\"name\":\"move\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_3_nothing\",\"type\":\"function\",\"function\":{\"name\":\"nothing\",\"arguments\":\"{}\"}}]}","request":"d16a04a9422f6b93893464472fc030beeeaaaaf5b28a42d6ea5009beee7d2f49"}',X'BB3129B817EA85DA4FED8403143BF9DE57E11F58251B25C4AE9C0A1921B10EC4',X'65338145657ACC6E0FC77BB493F6D4A5B1A4D355BC76BF896780B88DEF44C96C');
INSERT INTO "remit_items" VALUES('first',4,1,1800000006.0,'usage','a53770a3ec330c60929d5aa090b6075f:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":""}',X'AA8E8858A29D317EA3542A631BA23F7BA883F6869CEE95660C115458AAEF8D28',X'6C82855F1CB145CC380C0C3CC935FD1876D372FC53A948CBBCFC1D49EFF001B4');
INSERT INTO "remit_items" VALUES('first',5,1,1800000007.0,'started','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","attempt":1,"question":""}',X'41CD6DD69B2C435DD37AA4A060636E9BD9380F9176B5EB62F6ADF866F4053B63',X'C04C8A7E47DFFBE051117C67CADC1E7D830ECDBBC21D0A8ACA4FB6C79A28FB44');
INSERT INTO "remit_items" VALUES('first',6,1,1800000008.0,'tool_output','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_look\",\"content\":\"bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'29C35A7D08F3D33666D11E294EE7179BE7A2BAA0D5A9B0D8BFDFC9F9F77F3A12',X'7B9DFA8322CCD0E31C5198A75D5A74FEBFB5A95FDFB77D1B76C85D7D3FEA9298');
INSERT INTO "remit_items" VALUES('first',7,1,1800000009.0,'started','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","attempt":1,"question":""}',X'41CD6DD69B2C435DD37AA4A060636E9BD9380F9176B5EB62F6ADF866F4053B63',X'175A46E5413E6249C10F956C3035FD054FCC0A1E70C19649830B13D49A9E2D77');
INSERT INTO "remit_items" VALUES('first',8,1,1800000010.0,'started','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","attempt":1,"question":""}',X'2A8863589A2881D6E783D7870BE42794E0050DD57ED787E43D2A61D16BC96EBF',X'1D8B6B47BFE30BEEC834BF747E7378352834F6D4A4D93B2B3E8F78C18157AD07');
INSERT INTO "remit_items" VALUES('first',9,1,1800000011.0,'started','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","attempt":1,"question":""}',X'41CD6DD69B2C435DD37AA4A060636E9BD9380F9176B5EB62F6ADF866F4053B63',X'581417C4B2DF17788DC1B2FDA7AF768895EBD8E96A09EEB859E36D3000EED3F8');
INSERT INTO "remit_items" VALUES('first',10,1,1800000012.0,'ended','8675206449726ca32edb8b7b1532ca01','{"attempt":1,"outcome":"error","content":"{\"success\":false,\"error\":\"there is no tool ''nothing''\",\"errorCode\":\"UNKNOWN_TOOL\"}","void":false,"final":false}',X'3C0C15D26C260F4D2BF9E049B64D4080184F3DC602D3E6C0C917B6B2196E9A6E',X'B021FE6B6FA564A605C5EF230A7D2FE98CD157AE6F381AD607E86746E8EDB03B');
INSERT INTO "remit_items" VALUES('first',11,1,1800000013.0,'tool_output','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_3_nothing\",\"content\":\"{\\\"success\\\":false,\\\"error\\\":\\\"there is no tool ''nothing''\\\",\\\"errorCode\\\":\\\"UNKNOWN_TOOL\\\"}\"}","outcome":"error","final":false}',X'8B18F703054A2E3BC41A9CCECE45C41D473B6600E7F04F97193904665833EAEE',X'B354164891D097E99D2592E36CB4007E2ECC1073315C0D56CC60FCF6AC09FE94');
INSERT INTO "remit_items" VALUES('first',12,1,1800000014.0,'note','7c9a3a07133db4c2d9f0776df12d7865','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'A8BFD9A32B6A8B4758A177F9BEAAA4F14E8CFD061F16E565E0C8964D73414AAB');
INSERT INTO "remit_items" VALUES('first',13,1,1800000015.0,'ended','7c9a3a07133db4c2d9f0776df12d7865','{"attempt":1,"outcome":"ok","content":"{\"bread\":1}","void":false,"final":false}',X'6B6D27B4976988E23CE3461FCE9BFBA6770D6B500F0985F7D3915865B15F3CDF',X'01D5D6B1808A7F8F8104EEF2DFB76E4ED44D20B435F34AB7F8BA749515C7C58B');
INSERT INTO "remit_items" VALUES('first',14,1,1800000016.0,'note','4ff5f988d19464a127785963f82f3584','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'8AB566D315C9F8D80835B3C297F73B7C61DA5CA4D362E3C47F6E94EDD4AD3501');
INSERT INTO "remit_items" VALUES('first',15,1,1800000017.0,'ended','4ff5f988d19464a127785963f82f3584','{"attempt":1,"outcome":"ok","content":"{\"bread\":2}","void":false,"final":false}',X'150B37811EA4514C4B0D0F5CBAA74427629D5AD52AEDCB199F04D518C397A85F',X'BC543D37D73716F1581412357F7009E3B6F63E92DA6F436A2E3E4CE112E4D870');
INSERT INTO "remit_items" VALUES('first',16,1,1800000018.0,'tool_output','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_1_save\",\"content\":\"{\\\"bread\\\":1}\"}","outcome":"ok","final":false}',X'EEEDD4F996D4256BA39348308678327E6ED7319C9B9E477D776503D735143C12',X'D5EB8C0BA898F23CDC74438BE80731BC8B572491CD7885D945E271ADACBBA049');
INSERT INTO "remit_items" VALUES('first',17,1,1800000019.0,'tool_output','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","wire":"","text":"{\"bread\":2}","outcome":"ok","final":false}',X'63111B91A67E5DC98CF7ACE0E7FB53BF573BC4FB2588F292FFB3655B54E9CE8A',X'B55A24AE1BC7E07C1A813722CA41017D5420FCD5C0145AB7D7D0B4D2F4F1418D');
INSERT INTO "remit_items" VALUES('first',18,1,1800000020.0,'started','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","attempt":1,"question":""}',X'2A8863589A2881D6E783D7870BE42794E0050DD57ED787E43D2A61D16BC96EBF',X'E9A4F701B92A83232A8E9050653182D7F5BE75DFCD3AAFB4D9A2CD811764E45E');
INSERT INTO "remit_items" VALUES('first',19,1,1800000021.0,'tool_output','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","wire":"","text":"bread: a w\u00f6rd \u2014 \u8a9e","outcome":"ok","final":false}',X'D9CE83592850391C12C9D47C73AED54C18ACE092A66BF9B9645344911337D2EE',X'1A0A826724B698A931D6F53C4F2F81F8C1C9C3E135787799C27B9DB49BF0AD1E');
INSERT INTO "remit_items" VALUES('first',20,1,1800000022.0,'tool_output','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_2_move\",\"content\":\"moved bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'DF84B931EF41A88F60B160B05D68279843A52F405BA076A055ED7917675A01B2',X'F86F6FB7A216AF4B382AE897FA3C6DF0B1E5E178F632CA8C1770E0A822DE1479');
INSERT INTO "remit_items" VALUES('first',21,1,1800000023.0,'message','a53770a3ec330c60929d5aa090b6075f:2','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":\"Bread is saved.\"}","request":"b31c05e861702e357aa5a3c35f0cd602a7aa944af22e0c8c114e7295b4fd43a2"}',X'D13BBE6808A5A617EF3B62523A3C0CA8CCEE65E40D248D079AC50F8A6F3731A5',X'83911699375023E844E7ABE3FAE270C74E0390A95CC0478FFBB2EA5EA65134BC');
INSERT INTO "remit_items" VALUES('first',22,1,1800000024.0,'usage','a53770a3ec330c60929d5aa090b6075f:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":""}',X'2F9C5EDFB6A2056663C51AA3AAC5551053EC6D0735C2A3F508A3D9A8D49F3E99',X'73D6A3A76EF7265C2587A6F74BAEB33207673F96DDCC9729ABC3923C96D1D808');
INSERT INTO "remit_items" VALUES('first',23,1,1800000025.0,'tool_output','a53770a3ec330c60929d5aa090b6075f','{"parent":"","callee":"keeper","wire":"","text":"Bread is saved.","outcome":"ok","final":false}',X'BDC5B8E2ED70327708A2FF8B9675999778E9FCF02DE12A00876C1AA5D922F582',X'BB7243D8B7939DDB9C549BF906252B55A17FA7FFC2D29B4813BF0039E8E60D44');
INSERT INTO "remit_items" VALUES('first',24,1,1800000026.0,'finished','first','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'531F76A40DDBF8EDD8FE10BBBCA21ED99B32FAE9282F7CAE7DD323898559B63E');
INSERT INTO "remit_items" VALUES('second',0,1,1800000028.0,'opened','second','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase bread.\"}","conversation":"words","after":"first"}',X'49A5C376C21B3B56A5606B648978D969B72F32C122EDBBB968CF1E91AF81EA82',X'B62850EAE451A3541A8828EF432AD28E13E4D83225F6E9B64B6382E68626B6DA');
INSERT INTO "remit_items" VALUES('second',1,1,1800000030.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}"}',X'852BD8164EE36FEBF69131A0DA5E58C6D871322B460C017C16705AB982673F2C',X'68BC85D3D3737845A6009EF3A21039EC9B3281A2443E999316DD4B03A1776082');
INSERT INTO "remit_items" VALUES('second',2,1,1800000031.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"user\",\"content\":\"Erase bread.\"}"}',X'3AFABFBC33C724B620E7F40CF54B5E1DC0644BBCC956DAD03B51A1C30C8201CD',X'6F06CB6D73D05D57FD493C87019A69AA0FDD698EEDE56B35DEBF0112242A75DC');
INSERT INTO "remit_items" VALUES('second',3,1,1800000032.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_erase\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}}]}","request":"76a76c1aa3b4dc9d97525317750047f48e9d7c27b9295c4a13c1dbfd4b1201b5"}',X'C20CEE21FE728DA306D3EDB53EAC16AE2C75F150EDB9056DB05C39613AC534DC',X'AA3C2254CFF986D6C4CA3EB48BAEDE2B73BCD1BC74959C1C617BD3FCC5BACEE1');
INSERT INTO "remit_items" VALUES('second',4,1,1800000033.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":""}',X'AA8E8858A29D317EA3542A631BA23F7BA883F6869CEE95660C115458AAEF8D28',X'02C001F4E824751391765F3BE38F481BB1EFD397DA1ECF0507E55BEAC073FFCA');
INSERT INTO "remit_items" VALUES('second',5,1,1800000037.0,'question','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","about":"approval","question":"b23062fcd691","body":"{\"id\":\"b23062fcd691\",\"match\":\"19af43ec085db1b7caa793a5d3542b7f\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"second\",\"call\":\"62bd659eb4e86ea4a3eadf16703ab969\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"bread\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is of high risk\",\"who\":\"approvals:decide\",\"asked\":1800000034.0,\"expires\":1800604834.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase bread.\",\"news\":[],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'BAD8F5300AC7BB6230EF823C561F83E73BA306D0AF7EEADB1CE40FA000AC8D3D',X'CD89B8C7F9DE48F3692F0CAF09262830E42705937C4B601EE9F465CE5395775F');
INSERT INTO "remit_items" VALUES('second',6,1,1800000039.0,'suspended','second','{"questions":["b23062fcd691"]}',X'2CA0372C6E672E290DC4F8ABD9A305DF36725CB55B8A24F0015DE4BF88BDD901',X'9772B2BE6A8D52C86141B1644BE1E28B24CA21D808DF8B35E635B8D4F0228E75');
INSERT INTO "remit_items" VALUES('second',7,2,1800000042.0,'resumed','second','{"driver":"31109-dfwpm60cn838"}',X'04200EFF70B8ACFC5F83E2E4C86F170F86B89F09EA5AACF8E9A408F7705E088B',X'2F3453A15FB779F174BAA0C50F7C01D6B0A3D35DBD757D584EEA66C20E7569A1');
INSERT INTO "remit_items" VALUES('second',8,2,1800000043.0,'decision','62bd659eb4e86ea4a3eadf16703ab969','{"question":"b23062fcd691","body":"{\"question\":\"b23062fcd691\",\"approved\":true,\"by\":\"ada\",\"result\":\"\",\"reason\":\"it is stale\",\"at\":1800000040.0,\"arguments\":\"\",\"grant\":\"\",\"kind\":\"approve\"}"}',X'8CDB5B3B87DE0646EE207E0DF546EF67F67CAA4D276241BA8C9A1C8599DEEBA8',X'076505F18B8F35678769DB669D62102F0428C31527B72FCDA39D2298EC2408FA');
INSERT INTO "remit_items" VALUES('second',9,2,1800000046.0,'started','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","attempt":1,"question":"b23062fcd691"}',X'3987B448086782BB326229375D742189AD6A0D0640C1944A29E9EA17E5432F51',X'B46BC329DE85A2D1F380329509125CBFD26E6EC97C2A83D98096E784611F5BC3');
INSERT INTO "remit_items" VALUES('second',10,2,1800000047.0,'ended','62bd659eb4e86ea4a3eadf16703ab969','{"attempt":1,"outcome":"ok","content":"erased bread","void":false,"final":false}',X'C9F378804F1F436AD393FE84779A0F2C8A2B7E00CBED2F077348204514343E96',X'3C029CEC201E65408BE41406F28E72E0EFC1E8839A4094A9627D84F43A243198');
INSERT INTO "remit_items" VALUES('second',11,2,1800000048.0,'tool_output','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_erase\",\"content\":\"erased bread\"}","outcome":"ok","final":false}',X'9CE075862F28E1E7146E25B932D3F1AA58A8D1BB6C8E9F04242D3D7F0713CE52',X'9E2A8E8CA1A0DBB8D9F5736B1E229BAF544E774DD25DDD5DDAEF687E51F08219');
INSERT INTO "remit_items" VALUES('second',12,2,1800000049.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":\"Bread is erased.\"}","request":"1f72eb7140be6ac75b7ef640e33c08e72cd12d71350976ebb094ebf04a92d413"}',X'DC91114CA1620C9961C042F9012D2B43BC86C3C5684845D1F53425786F7BB71E',X'115C07F73516F4C267E9EA793BB7228A5E52339F611C758B4CFD0B9882D62365');
INSERT INTO "remit_items" VALUES('second',13,2,1800000050.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":""}',X'2F9C5EDFB6A2056663C51AA3AAC5551053EC6D0735C2A3F508A3D9A8D49F3E99',X'DF985A2C079557EE509872A06D94E5CC1282EEC985F61B89B320929E7BB2D00C');
INSERT INTO "remit_items" VALUES('second',14,2,1800000051.0,'tool_output','e5f5ccda5ce3f7ea55435b96bb8e8049','{"parent":"","callee":"keeper","wire":"","text":"Bread is erased.","outcome":"ok","final":false}',X'E74CFF7B656BFB2B34D306A8F9BB48AB2C684E64A7BBA52E2D23858E6BEC6DA8',X'A89D1CF45DB2EA306D689A7F5FE04049A869E3715250E4B7ADAD0297BBF44CAE');
INSERT INTO "remit_items" VALUES('second',15,2,1800000052.0,'finished','second','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'3002E4A60CD45CF765EB5953FA03A4CC2A47F3B69A2A5954DAAAFA4A72ED5A0D');
INSERT INTO "remit_items" VALUES('third',0,1,1800000054.0,'opened','third','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase salt.\"}","conversation":"words","after":"second"}',X'7BFBF78A6CEF9B8876B31AF54865B118114E502188F4F1503FB0BC626A695181',X'F94FCB2F05F0278487C9D4BFD92D7BAF690D3C8E4CE8BB55F17B736B92AE8761');
INSERT INTO "remit_items" VALUES('third',1,1,1800000056.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}"}',X'4F06B5D0A471194ACEBE5337BF09AAE107D8CD110F77C1A4216CBE0A19FFE982',X'22196B88D9A425E7A2A72617A92610C6340E4C011321283C034BDC4D443490A2');
INSERT INTO "remit_items" VALUES('third',2,1,1800000057.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"user\",\"content\":\"Erase salt.\"}"}',X'67708D907DAC6A5CCA0CD4F8CCCC8B180920F178F488E5FC841EF5EEA3F5091C',X'F41DAB45843DD84D26FADD1F280DA98D2D778D17257998842801F9E2B911F428');
INSERT INTO "remit_items" VALUES('third',3,1,1800000058.0,'message','1cefc44e168054be3f655e671d292060:1','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_5_1\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}},{\"id\":\"call_6_1\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}}]}","request":"c372baf08662d155ab6423f24f058f87a116685865dddd7d4c6c9f278bbc4040"}',X'765E5CAD4DD5012698C2BEA0CDCCD5A2291123FE80D3972E2DDA1B5D3E01116C',X'3EF15D042EA986EF97D8B567CD71086C0898BD745BFA64C44D2A6AB802D87C7B');
INSERT INTO "remit_items" VALUES('third',4,1,1800000059.0,'usage','1cefc44e168054be3f655e671d292060:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":""}',X'AA8E8858A29D317EA3542A631BA23F7BA883F6869CEE95660C115458AAEF8D28',X'5776BFFBBED23E9A9461D614B918F1B2CDA43CD5D1C1178BB68CDB0135F81FB2');
INSERT INTO "remit_items" VALUES('third',5,1,1800000060.0,'started','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","attempt":1,"question":""}',X'9817FC4EE77705D16E3BD9FAEB1B3F36437A98DD36AB0843FBEFC610A7E8F166',X'D9BA3F979BE351D319A6C00D8CB15CC2473902B7D8A61ADAD250E95F774252EE');
INSERT INTO "remit_items" VALUES('third',6,1,1800000061.0,'tool_output','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call_6_1","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_6_1\",\"content\":\"salt: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'9385B7CFE9CFF3DEA7D0EFEB96703D9605939491FC9B41AFFECB282358AD069E',X'D67E989E94A2C58E2C0F8B3CE30288080986D164727714D99FAD617CA4509F76');
INSERT INTO "remit_items" VALUES('third',7,1,1800000065.0,'question','f97360cfa986f5cca82bfaa86ba72579','{"parent":"1cefc44e168054be3f655e671d292060","about":"approval","question":"49127b59590d","body":"{\"id\":\"49127b59590d\",\"match\":\"3bf3b3117f21dd8fcda52b7e0b585a06\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"third\",\"call\":\"f97360cfa986f5cca82bfaa86ba72579\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"salt\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is of high risk\",\"who\":\"approvals:decide\",\"asked\":1800000062.0,\"expires\":1800604862.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase salt.\",\"news\":[{\"where\":\"word\",\"before\":\"\\\"bread\\\"\",\"after\":\"\\\"salt\\\"\"}],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'78604AFEC5ED8DD3269424E1315D4AEFB0F1D09E4F473DC1E224393C39C23E8B',X'7B9F86BACD380FCEBEC606DA4EE73C765B423CF3BB87A41F43BE092EC1BD75B5');
INSERT INTO "remit_items" VALUES('third',8,1,1800000067.0,'suspended','third','{"questions":["49127b59590d"]}',X'AFD2335A03DAE6CADB9794278ECC236DAF983C4A822D0C3D007FB8EB620CD4D5',X'1F7345B70C45F27407595CA8EB30FE10EA65844F5183004FC040971143704F65');
CREATE TABLE remit_key (
	signature BLOB NOT NULL, 
	PRIMARY KEY (signature)
);
INSERT INTO "remit_key" VALUES(X'6F13BF10F1E76902C0A4943B230027DAFB65AE547E69A8A6638415283FF5F06F');
CREATE TABLE remit_questions (
	question TEXT NOT NULL, 
	run TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"match" TEXT NOT NULL, 
	status TEXT NOT NULL, 
	asked FLOAT NOT NULL, 
	body TEXT NOT NULL, 
	decision TEXT NOT NULL, 
	taken_run TEXT NOT NULL, 
	taken_call TEXT NOT NULL, 
	signature BLOB, 
	approval TEXT DEFAULT '' NOT NULL, 
	tenant TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (question)
);
INSERT INTO "remit_questions" VALUES('b23062fcd691','second','words','19af43ec085db1b7caa793a5d3542b7f','taken',1800000034.0,'{"id":"b23062fcd691","match":"19af43ec085db1b7caa793a5d3542b7f","kind":"approval","tenant":"default","conversation":"words","run":"second","call":"62bd659eb4e86ea4a3eadf16703ab969","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"bread\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is of high risk","who":"approvals:decide","asked":1800000034.0,"expires":1800604834.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase bread.","news":[],"needs":"approve","plan":[],"within":"","further_permissions":[]}','{"question":"b23062fcd691","approved":true,"by":"ada","result":"","reason":"it is stale","at":1800000040.0,"arguments":"","grant":"","kind":"approve"}','second','62bd659eb4e86ea4a3eadf16703ab969',X'7A046645AB3F42A18516EBABDFC0AC5874DEB221C9785F99AD5F2B42DD3ED3B5','167b378ff9603414eccd0ebc5083aa7f','default');
INSERT INTO "remit_questions" VALUES('49127b59590d','third','words','3bf3b3117f21dd8fcda52b7e0b585a06','open',1800000062.0,'{"id":"49127b59590d","match":"3bf3b3117f21dd8fcda52b7e0b585a06","kind":"approval","tenant":"default","conversation":"words","run":"third","call":"f97360cfa986f5cca82bfaa86ba72579","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"salt\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is of high risk","who":"approvals:decide","asked":1800000062.0,"expires":1800604862.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase salt.","news":[{"where":"word","before":"\"bread\"","after":"\"salt\""}],"needs":"approve","plan":[],"within":"","further_permissions":[]}','','','',X'18340B4F42E1C07AF164B2F9E25F016EDC375288F57B41C0A7676AFB919FF057','','default');
CREATE TABLE remit_runs (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	driver TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	next_seq INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	callee TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	ended FLOAT NOT NULL, 
	cancelled TEXT NOT NULL, 
	number INTEGER DEFAULT '0' NOT NULL, 
	wake FLOAT DEFAULT '0' NOT NULL, 
	signature BLOB, 
	cancel_signature BLOB, 
	target TEXT DEFAULT '' NOT NULL, 
	erased INTEGER DEFAULT 0 NOT NULL, 
	PRIMARY KEY (run)
);
INSERT INTO "remit_runs" VALUES('first',1,'31109-dfwpm60cn838',0.0,25,'done','default','ada','golden','','keeper','words','',1800000001.0,1800000026.0,'',1,0.0,X'EA2BCE8C02FB2748D6CF0F8A4E21F36B567CD1DBE36C6D1448174B049D3BE53F',NULL,'',0);
INSERT INTO "remit_runs" VALUES('second',2,'31109-dfwpm60cn838',0.0,16,'done','default','ada','golden','','keeper','words','first',1800000028.0,1800000052.0,'',2,0.0,X'21E1C8DD52E2D9902F8615DE9B35DEF1FCC80FE5D5E708D3AC7C788AC77C40B0',NULL,'',0);
INSERT INTO "remit_runs" VALUES('third',1,'31109-dfwpm60cn838',0.0,9,'waiting','default','ada','golden','','keeper','words','second',1800000054.0,0.0,'',3,1800604862.0,X'CC24B0917706EF02D41F526A7DD5B7C4B4927797267A83CD74975AE390A7755F',NULL,'',0);
CREATE TABLE remit_turns (
	rate TEXT NOT NULL, 
	lane INTEGER NOT NULL, 
	start FLOAT NOT NULL, 
	PRIMARY KEY (rate, lane)
);
CREATE TABLE remit_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT remit_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "remit_version" VALUES('0001_first');
CREATE TABLE remit_watches (
	run TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	PRIMARY KEY (run)
);
CREATE INDEX remit_runs_conversation ON remit_runs (conversation, number);
CREATE INDEX remit_runs_tenant ON remit_runs (tenant, opened);
CREATE INDEX remit_runs_principal ON remit_runs (tenant, principal, opened);
CREATE INDEX remit_runs_status ON remit_runs (tenant, status, opened);
CREATE INDEX remit_runs_callee ON remit_runs (tenant, callee, opened);
CREATE INDEX remit_runs_due ON remit_runs (application, wake) WHERE ended = 0;
CREATE INDEX remit_questions_match ON remit_questions (conversation, "match");
CREATE INDEX remit_questions_run ON remit_questions (run);
CREATE INDEX remit_questions_approval ON remit_questions (approval, asked, question);
CREATE INDEX remit_questions_tenant ON remit_questions (tenant, asked);
CREATE INDEX remit_questions_open ON remit_questions (tenant, asked) WHERE status = 'open';
CREATE INDEX remit_grants_tool ON remit_grants (tenant, tool);
CREATE INDEX remit_turns_start ON remit_turns (rate, start);
CREATE INDEX remit_conversations_tenant ON remit_conversations (tenant, active);
CREATE INDEX remit_artifacts_run ON remit_artifacts (run);
COMMIT;
